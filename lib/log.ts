import { Logger } from '@aws-lambda-powertools/logger';

let logger: Logger | undefined;

/** The structured log of this function. Never give it a key, a secret, a session or the text of a message. */
export function log(): Logger {
  logger ??= new Logger({ serviceName: process.env['AWS_LAMBDA_FUNCTION_NAME'] ?? 'crm-api' });
  return logger;
}
