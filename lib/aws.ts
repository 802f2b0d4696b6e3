import { isServerError, isThrottlingError, isTransientError } from '@smithy/core/retry';

type Classified = Parameters<typeof isTransientError>[0];

/** What the SDK does not repeat by itself, and yet may pass: a deadline of our own, a slow model, SES paused by its owner. */
const others = ['AbortError', 'ModelTimeoutException', 'SendingPausedException'];

/** Whether a call failed for a reason that may pass: a service is busy, paused, too slow or out of reach. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const failure = error as Classified;
  return (
    isThrottlingError(failure) || isTransientError(failure) || isServerError(failure) || others.includes(error.name)
  );
}

/** Whether a service takes fewer calls at a time than were made. */
export const isThrottled = (error: unknown): boolean =>
  error instanceof Error && isThrottlingError(error as Classified);

/** Whether S3 says that an object is not there: who may not list a bucket is refused what is not in it. */
export const isMissing = (error: unknown): boolean =>
  error instanceof Error && ['NoSuchKey', 'AccessDenied'].includes(error.name);
