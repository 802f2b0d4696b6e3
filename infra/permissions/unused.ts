/** Grants that no test uses, with the reason why they are needed. */
export const unused: readonly { grant: RegExp; why: string }[] = [
  {
    grant:
      / (logs|xray):|sqs:(ReceiveMessage|DeleteMessage|GetQueueAttributes) |dynamodb:(DescribeStream|GetRecords|GetShardIterator|ListStreams) /,
    why: 'Lambda itself does so: test/infra/policies.test.ts.',
  },
  {
    grant: / dynamodb:\w+Item \S+$| dynamodb:Query \S+$/,
    why: 'What a unit of work may come to is given by kind of function and by needs (infra/stacks/rows.ts); whether each role has met all of it depends on what its functions were called with. test/infra/policies.test.ts holds who reaches what tenants share.',
  },
  {
    grant:
      /^CrmApi-Workers(DispatchTimers|ForwardTimer|Sweep)Role\w+ (sqs:SendMessage|scheduler:CreateSchedule|iam:PassRole|events:PutEvents) /,
    why: 'A timer may be of any queue, and the sweeper does what the others have left.',
  },
  {
    grant: / sqs:SendMessage \S+Dead/,
    why: 'Where goes what has failed again and again: most tests let nothing do so.',
  },
  { grant: / bedrock:InvokeModel /, why: 'No model runs here; test/agents/bedrock.test.ts stands in for one.' },
  {
    grant: / ses:Send(Raw)?Email /,
    why: 'SES asks for one or the other by how a mail is made, and for the identity that is verified.',
  },
  {
    grant: /^CrmApi-(Email|Mcp|WorkersSendEmail|WorkersStoreAttachments|WorkersTelegram)Role\w+ s3:ListBucket /,
    why: 'What asks for files must be told 404 of what is gone, which S3 says only to who may list; no test takes one away before a sender reads it.',
  },
  {
    grant: /^CrmApi-McpRole\w+ s3:GetObject /,
    why: 'Its tools send messages, whose files are looked for; the tests send none by MCP.',
  },
  {
    grant: /^CrmApi-WorkersRouteMailRole\w+ sqs:SendMessage /,
    why: 'On AWS alone a mail comes by SES; the tests call the worker itself (test/email/queues.ts).',
  },
  {
    grant: /^CrmApi-WorkersStoreAttachmentsRole\w+ s3:DeleteObject /,
    why: 'Takes back what was stored for a message that was erased meanwhile.',
  },
];
