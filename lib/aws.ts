interface Failure {
  name?: string;
  code?: string;
  $retryable?: unknown;
  $fault?: string;
}

const passingNames = /Abort|Timeout|Throttl|TooManyRequests|LimitExceeded|Unavailable|NotReady|Paused/;
const unreachable = /^(ECONN|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT)/;

/** Whether a call to AWS failed for a reason that may pass: a service is busy, paused, too slow or out of reach. */
export function isPassing(error: unknown): boolean {
  const { name = '', code = '', $retryable, $fault } = error as Failure;
  return $retryable !== undefined || $fault === 'server' || passingNames.test(name) || unreachable.test(code);
}
