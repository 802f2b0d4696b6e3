import { AwsError } from '../aws-error.ts';
import { invalidParameter, sqsError } from './errors.ts';

export type QueueAttributes = Record<string, string>;

export interface RedrivePolicy {
  deadLetterTargetArn: string;
  maxReceiveCount: number;
}

export const maxMessageBytes = 1_048_576;

const defaults = {
  DelaySeconds: '0',
  MaximumMessageSize: String(maxMessageBytes),
  MessageRetentionPeriod: '345600',
  ReceiveMessageWaitTimeSeconds: '0',
  VisibilityTimeout: '30',
  SqsManagedSseEnabled: 'true',
};

const fifoDefaults = {
  ContentBasedDeduplication: 'false',
  DeduplicationScope: 'queue',
  FifoThroughputLimit: 'perQueue',
};

const integerRanges: Record<string, readonly [number, number]> = {
  DelaySeconds: [0, 900],
  KmsDataKeyReusePeriodSeconds: [60, 86_400],
  MaximumMessageSize: [1024, maxMessageBytes],
  MessageRetentionPeriod: [60, 1_209_600],
  ReceiveMessageWaitTimeSeconds: [0, 20],
  VisibilityTimeout: [0, 43_200],
};

const choices: Record<string, readonly string[]> = {
  ContentBasedDeduplication: ['true', 'false'],
  DeduplicationScope: ['queue', 'messageGroup'],
  FifoQueue: ['true', 'false'],
  FifoThroughputLimit: ['perQueue', 'perMessageGroupId'],
  SqsManagedSseEnabled: ['true', 'false'],
};

const freeForm = ['KmsMasterKeyId', 'Policy', 'RedriveAllowPolicy', 'RedrivePolicy'];

/** Attributes as the wire or a CloudFormation template writes them, checked and made strings. */
export function parseAttributes(given: Record<string, unknown>): QueueAttributes {
  const parsed: QueueAttributes = {};
  for (const [name, value] of Object.entries(given)) {
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
    check(name, text);
    parsed[name] = text;
  }
  return parsed;
}

/** A new queue's attributes: the given ones over SQS's defaults. */
export function initialAttributes(given: QueueAttributes): QueueAttributes {
  const { FifoQueue, ...rest } = given;
  return FifoQueue === 'true' ? { ...defaults, ...fifoDefaults, FifoQueue, ...rest } : { ...defaults, ...rest };
}

export function redrivePolicyOf(attributes: QueueAttributes): RedrivePolicy | undefined {
  if (!attributes['RedrivePolicy']) return undefined;
  const { deadLetterTargetArn, maxReceiveCount } = JSON.parse(attributes['RedrivePolicy']) as Record<string, unknown>;
  return { deadLetterTargetArn: String(deadLetterTargetArn), maxReceiveCount: Number(maxReceiveCount) };
}

export function checkQueueName(name: string, isFifo: boolean): void {
  if (isFifo && !/^[\w-]{1,75}\.fifo$/.test(name)) {
    throw invalidParameter(
      'The name of a FIFO queue can only include alphanumeric characters, hyphens, or underscores, must end with .fifo suffix and be 1 to 80 in length',
    );
  }
  if (!isFifo && !/^[\w-]{1,80}$/.test(name)) {
    throw invalidParameter('Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length');
  }
}

export const isSettable = (name: string) =>
  Object.hasOwn(integerRanges, name) || Object.hasOwn(choices, name) || freeForm.includes(name);

export const unknownAttribute = (name: string) => sqsError('InvalidAttributeName', `Unknown Attribute ${name}.`);

function check(name: string, text: string): void {
  const range = integerRanges[name];
  const choice = choices[name];
  if (!isSettable(name)) throw unknownAttribute(name);
  const fits = range ? /^\d+$/.test(text) && Number(text) >= range[0] && Number(text) <= range[1] : true;
  if (!fits || (choice && !choice.includes(text))) {
    throw new AwsError('InvalidAttributeValue', `Invalid value for the parameter ${name}.`, {
      queryCode: 'InvalidAttributeValue',
    });
  }
  if (name === 'RedrivePolicy' && text !== '') checkRedrivePolicy(text);
}

function checkRedrivePolicy(text: string): void {
  const invalid = (reason: string) =>
    invalidParameter(`Value ${text} for parameter RedrivePolicy is invalid. Reason: ${reason}`);
  let policy: unknown;
  try {
    policy = JSON.parse(text);
  } catch {}
  if (typeof policy !== 'object' || policy === null) throw invalid('Redrive policy is not a valid JSON map.');
  const { deadLetterTargetArn, maxReceiveCount } = policy as Record<string, unknown>;
  if (typeof deadLetterTargetArn !== 'string') {
    throw invalid('Redrive policy does not contain mandatory attribute: deadLetterTargetArn.');
  }
  if (maxReceiveCount === undefined) {
    throw invalid('Redrive policy does not contain mandatory attribute: maxReceiveCount.');
  }
  const count = Number(maxReceiveCount);
  if (!Number.isInteger(count) || count < 1 || count > 1000) {
    throw invalid('Invalid value for maxReceiveCount, it must be between 1 and 1000.');
  }
}
