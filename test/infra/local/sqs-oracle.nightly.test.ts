import { SQS } from '@aws-sdk/client-sqs';
import { test } from 'vitest';
import { startSqs } from '#infra/local/sqs.ts';
import { clientOf, compareWithMoto, guarded, home, Play } from '#test/infra/local/oracle.ts';

const text = { DataType: 'String', StringValue: 'v' };

async function play(endpoint: string) {
  const sqs = new SQS(clientOf(endpoint));
  const game = new Play(perRun);
  const ask = game.ask.bind(game);
  const make = async (step: string, QueueName: string, Attributes: Record<string, string> = {}) =>
    (await ask(step, sqs.createQueue({ QueueName, Attributes })))?.QueueUrl ?? '';

  const dead = await make('create dead letters', 'dead');
  const { Attributes } = await sqs.getQueueAttributes({ QueueUrl: dead, AttributeNames: ['QueueArn'] });
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: Attributes?.QueueArn, maxReceiveCount: 2 });
  const work = await make('create', 'work', { RedrivePolicy, VisibilityTimeout: '30' });
  const fifo = await make('create FIFO', 'work.fifo', { FifoQueue: 'true', ContentBasedDeduplication: 'true' });
  await make('create again', 'work', { RedrivePolicy, VisibilityTimeout: '30' });
  await make('create differently', 'work', { VisibilityTimeout: '31' });
  await make('bad name', 'no spaces');
  await make('FIFO without suffix', 'plain', { FifoQueue: 'true' });
  await ask('url', sqs.getQueueUrl({ QueueName: 'work' }));
  await ask('url of none', sqs.getQueueUrl({ QueueName: 'none' }));
  await ask('list', sqs.listQueues({ QueueNamePrefix: 'work' }));
  await ask('list none', sqs.listQueues({ QueueNamePrefix: 'zzz' }));
  const { Attributes: { RedrivePolicy: redrive = '', ...others } = {} } = await sqs.getQueueAttributes({
    QueueUrl: work,
    AttributeNames: ['All'],
  });
  game.note('attributes', { ...others, redrive: JSON.parse(redrive) });
  await ask('FIFO attributes', sqs.getQueueAttributes({ QueueUrl: fifo, AttributeNames: ['All'] }));
  await ask('no attributes', sqs.getQueueAttributes({ QueueUrl: work }));
  await ask('unknown attribute', sqs.getQueueAttributes({ QueueUrl: work, AttributeNames: ['Nope' as 'All'] }));
  await ask('sources', sqs.listDeadLetterSourceQueues({ QueueUrl: dead }));

  const to = { QueueUrl: work };
  await ask('send', sqs.sendMessage({ ...to, MessageBody: 'm', MessageAttributes: { a: text, 'b.c': text } }));
  await ask('send nowhere', sqs.sendMessage({ QueueUrl: `${work}-none`, MessageBody: 'm' }));
  await ask('send long', sqs.sendMessage({ ...to, MessageBody: 'x'.repeat(1_048_577) }));
  await ask('send delayed too long', sqs.sendMessage({ ...to, MessageBody: 'm', DelaySeconds: 901 }));
  const typeless = { a: { DataType: 'Odd', StringValue: 'v' } };
  await ask('send odd attribute', sqs.sendMessage({ ...to, MessageBody: 'm', MessageAttributes: typeless }));
  const names = { MessageSystemAttributeNames: ['All' as const], MessageAttributeNames: ['b.*'] };
  const first = await ask('receive', sqs.receiveMessage({ ...to, ...names }));
  const handle = { ...to, ReceiptHandle: first?.Messages?.[0]?.ReceiptHandle };
  await ask('receive nothing', sqs.receiveMessage(to));
  await ask('extend', sqs.changeMessageVisibility({ ...handle, VisibilityTimeout: 60 }));
  await ask('extend too far', sqs.changeMessageVisibility({ ...handle, VisibilityTimeout: 43_201 }));
  await ask('release', sqs.changeMessageVisibility({ ...handle, VisibilityTimeout: 0 }));
  const second = await ask('receive again', sqs.receiveMessage({ ...to, VisibilityTimeout: 0 }));
  await ask('give up', sqs.receiveMessage(to));
  await ask('receive dead letter', sqs.receiveMessage({ QueueUrl: dead, VisibilityTimeout: 0 }));
  await ask('delete', sqs.deleteMessage({ ...to, ReceiptHandle: second?.Messages?.[0]?.ReceiptHandle }));
  await ask('delete made up', sqs.deleteMessage({ ...to, ReceiptHandle: 'made-up' }));
  await ask('extend made up', sqs.changeMessageVisibility({ ...to, ReceiptHandle: 'made-up', VisibilityTimeout: 1 }));
  for (const [name, value] of Object.entries({ MaxNumberOfMessages: 11, WaitTimeSeconds: 21, VisibilityTimeout: -1 })) {
    await ask(`receive with ${name} ${value}`, sqs.receiveMessage({ ...to, [name]: value }));
  }

  const entry = (Id: string, more = {}) => ({ Id, MessageBody: Id, ...more });
  const batch = (step: string, Entries: ReturnType<typeof entry>[]) =>
    ask(step, sqs.sendMessageBatch({ ...to, Entries }));
  await batch('batch', [entry('a'), entry('b')]);
  await batch('batch with a bad entry', [entry('a'), entry('b', { DelaySeconds: 901 })]);
  await batch('batch of none', []);
  await batch(
    'batch of eleven',
    [...'abcdefghijk'].map((id) => entry(id)),
  );
  await batch('batch with an id twice', [entry('a'), entry('a')]);
  await batch('batch with a bad id', [entry('a b')]);
  await batch(
    'batch too long',
    ['a', 'b'].map((id) => entry(id, { MessageBody: 'x'.repeat(600_000) })),
  );
  const { Messages = [] } = await sqs.receiveMessage({ ...to, MaxNumberOfMessages: 10 });
  const handles = Messages.map(({ ReceiptHandle }, index) => ({ Id: `${index}`, ReceiptHandle }));
  game.note(
    'batch received',
    Messages.map(({ Body }) => Body),
  );
  const extended = handles.map((one) => ({ ...one, VisibilityTimeout: 90 }));
  await ask('extend batch', sqs.changeMessageVisibilityBatch({ ...to, Entries: extended }));
  const deleted = [...handles, { Id: 'none', ReceiptHandle: 'made-up' }];
  await ask('delete batch', sqs.deleteMessageBatch({ ...to, Entries: deleted }));

  const ordered = (MessageBody: string, MessageGroupId?: string, more = {}) =>
    sqs.sendMessage({ QueueUrl: fifo, MessageBody, MessageGroupId, ...more });
  await ask('FIFO send', ordered('1', 'g', { MessageDeduplicationId: 'd' }));
  await ask('FIFO send second', ordered('2', 'g', { MessageDeduplicationId: 'e' }));
  await ask('FIFO send duplicate', ordered('3', 'g', { MessageDeduplicationId: 'd' }));
  await ask('FIFO send without group', ordered('4'));
  await ask('FIFO send delayed', ordered('5', 'g', { DelaySeconds: 5 }));
  await ask('FIFO receive', sqs.receiveMessage({ QueueUrl: fifo, MessageSystemAttributeNames: ['All'] }));
  await ask('FIFO receive locked', sqs.receiveMessage({ QueueUrl: fifo }));
  await ask('send NUL', sqs.sendMessage({ ...to, MessageBody: '\u0000' }));
  await ask('purge', sqs.purgeQueue({ QueueUrl: dead }));
  for (const QueueUrl of [dead, work, fifo]) await sqs.deleteQueue({ QueueUrl });
  sqs.destroy();
  return game.answers;
}

const perRun = /^(MessageId|ReceiptHandle|SequenceNumber|SenderId|\w*Timestamp|QueueUrls?|queueUrls|Policy|Message)$/;

/** Where AWS's documentation or the SDK's model is followed rather than moto. */
const differences = {
  'the SDK models this error as a 404': ['delete made up', 'extend made up'],
  'deleting a message that is gone succeeds': ['delete'],
  'moto checks neither a visibility nor characters': ['receive with VisibilityTimeout -1', 'send NUL'],
};

test('the local SQS answers as moto does', (context) =>
  compareWithMoto(context, { play, differences, start: () => startSqs({ ...guarded, ...home }) }));
