import { isServerError, isThrottlingError, isTransientError } from '@smithy/core/retry';

type Classified = Parameters<typeof isTransientError>[0];

/** Names of errors that may pass but are not retried at once: our own deadline, or a slow model. */
const others = ['AbortError', 'ModelTimeoutException'];

/** DynamoDB's, of a write to an item that is in somebody's transaction, or has just been written in another region. */
const conflicts = ['TransactionConflictException', 'ReplicatedWriteConflictException'];

/** Whether a call may be repeated as it is: what the SDK repeats, and a write that met another one. */
export function isRepeatable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (conflicts.includes(error.name)) return true;
  const failure = error as Classified;
  return isThrottlingError(failure) || isTransientError(failure) || isServerError(failure);
}

/** Whether a call failed for a reason that may pass: a service is busy, too slow or out of reach. */
export const isPassing = (error: unknown): boolean =>
  isRepeatable(error) || (error instanceof Error && others.includes(error.name));

/** Whether a service takes fewer calls at a time than were made. */
export const isThrottled = (error: unknown): boolean =>
  error instanceof Error && isThrottlingError(error as Classified);

/** Whether S3 says that an object is not there, which it says to who may list the bucket; others are refused, as is who lacks a permission. */
export const isMissing = (error: unknown): boolean => error instanceof Error && error.name === 'NoSuchKey';

/** Returns the error of S3 for a missing object. */
export const missing = (): Error => Object.assign(new Error('there is no such object'), { name: 'NoSuchKey' });
