import { AwsError } from '../aws-error.ts';

const legacy = (code: string) => ({ queryCode: `AWS.SimpleQueueService.${code}` });

/** For the errors that keep one name in both protocols. */
export const sqsError = (code: string, message: string, status = 400) =>
  new AwsError(code, message, { status, queryCode: code });

/** For those the query protocol prefixes with the service's name. */
export const prefixedError = (code: string, message: string) => new AwsError(code, message, legacy(code));

export const queueDoesNotExist = () =>
  new AwsError('QueueDoesNotExist', 'The specified queue does not exist.', legacy('NonExistentQueue'));

export const invalidParameter = (message: string) => sqsError('InvalidParameterValue', message);

export const invalidValue = (parameter: string, value: unknown, reason: string) =>
  invalidParameter(`Value ${value} for parameter ${parameter} is invalid. Reason: ${reason}`);

export const missingParameter = (parameter: string) =>
  sqsError('MissingParameter', `The request must contain the parameter ${parameter}.`);

/** The member `name` of a request, which AWS insists on. */
export function required<Value>(value: Value | undefined | null, name: string): Value {
  if (value === undefined || value === null) throw missingParameter(name);
  return value;
}

export function inRange(parameter: string, value: number, [least, most]: readonly [number, number], reason: string) {
  if (!Number.isInteger(value) || value < least || value > most) throw invalidValue(parameter, value, reason);
  return value;
}
