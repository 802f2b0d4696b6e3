import { Logger } from '@aws-lambda-powertools/logger';
import { isQuiet } from './quiet.ts';

let logger: Logger | undefined;

/** The structured log of this function. Never give it a key, a secret, a session or the text of a message. */
export function log(): Logger {
  logger ??= new Log({ serviceName: process.env['AWS_LAMBDA_FUNCTION_NAME'] ?? 'crm-api' });
  return logger;
}

class Log extends Logger {
  protected override printLog(...line: Parameters<Logger['printLog']>): void {
    if (!isQuiet()) super.printLog(...line);
  }
}
