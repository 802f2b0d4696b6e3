import { Logger } from '@aws-lambda-powertools/logger';

// On Lambda there is one; a thread of the local system runs several functions.
const loggers = new Map<string, Logger>();

/** The structured log of this function. Never give it a key, a secret, a session or the text of a message. */
export function log(): Logger {
  const serviceName = process.env['AWS_LAMBDA_FUNCTION_NAME'] ?? 'crm-api';
  const logger = loggers.get(serviceName) ?? new Log({ serviceName });
  loggers.set(serviceName, logger);
  return logger;
}

class Log extends Logger {
  protected override printLog(...[level, item]: Parameters<Logger['printLog']>): void {
    withhold(item.getAttributes());
    if (!isQuiet()) super.printLog(level, item);
  }
}

/** Removes the values that validators quote: only kind and place of such errors are printed. */
function withhold(value: unknown, seen = new WeakSet()): void {
  if (typeof value !== 'object' || value === null || seen.has(value)) return;
  seen.add(value);
  if ('issues' in value && 'stack' in value)
    Object.assign(value, { issues: undefined, message: 'it does not fit its declaration', stack: undefined });
  for (const inner of Object.values(value)) withhold(inner, seen);
}

let works = 0;

/** Whether log and metrics leave no line. */
export const isQuiet = (): boolean => works > 0;

/** Does work that leaves no line in the log and no metric; nor does whatever else the process does meanwhile. */
export async function quietly<Result>(work: () => Promise<Result>): Promise<Result> {
  works += 1;
  try {
    return await work();
  } finally {
    works -= 1;
  }
}
