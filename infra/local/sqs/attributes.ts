import { AwsError } from '../aws-error.ts';
import { invalidParameter, sqsError } from './errors.ts';

export type QueueAttributes = Record<string, string>;

export interface RedrivePolicy {
  deadLetterTargetArn: string;
  maxReceiveCount: number;
}

export const defaultAttributes = {
  DelaySeconds: '0',
  MessageRetentionPeriod: '345600',
  ReceiveMessageWaitTimeSeconds: '0',
  VisibilityTimeout: '30',
};

const integerRanges: Record<string, readonly [number, number]> = {
  DelaySeconds: [0, 900],
  KmsDataKeyReusePeriodSeconds: [60, 86_400],
  MessageRetentionPeriod: [60, 1_209_600],
  ReceiveMessageWaitTimeSeconds: [0, 20],
  VisibilityTimeout: [0, 43_200],
};

const freeForm = ['KmsMasterKeyId', 'Policy', 'RedriveAllowPolicy', 'RedrivePolicy', 'SqsManagedSseEnabled'];

/** Attributes as a CloudFormation template writes them, checked and made strings. */
export function parseAttributes(given: Record<string, unknown>): QueueAttributes {
  const parsed: QueueAttributes = {};
  for (const [name, value] of Object.entries(given)) {
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
    check(name, text);
    parsed[name] = text;
  }
  return parsed;
}

export function redrivePolicyOf(attributes: QueueAttributes): RedrivePolicy | undefined {
  if (!attributes['RedrivePolicy']) return undefined;
  const { deadLetterTargetArn, maxReceiveCount } = JSON.parse(attributes['RedrivePolicy']) as Record<string, unknown>;
  const count = Number(maxReceiveCount);
  if (typeof deadLetterTargetArn !== 'string' || !Number.isInteger(count) || count < 1 || count > 1000)
    throw invalidParameter(`Value ${attributes['RedrivePolicy']} for parameter RedrivePolicy is invalid.`);
  return { deadLetterTargetArn, maxReceiveCount: count };
}

function check(name: string, text: string): void {
  const range = integerRanges[name];
  if (!range && !freeForm.includes(name)) throw sqsError('InvalidAttributeName', `Unknown Attribute ${name}.`);
  if (!range || (/^\d+$/.test(text) && Number(text) >= range[0] && Number(text) <= range[1])) return;
  throw new AwsError('InvalidAttributeValue', `Invalid value for the parameter ${name}.`, {
    queryCode: 'InvalidAttributeValue',
  });
}
