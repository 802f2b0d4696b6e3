import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { shortCalls } from '#lib/aws/short-calls.ts';
import { env } from '#lib/core/env.ts';

interface TelegramApp {
  apiId: number;
  apiHash: string;
}

let kept: Promise<string> | undefined;

/**
 * The operator's application at my.telegram.org, with which user accounts log in; undefined without one. Its hash is a secret,
 * which is read from SSM once for each process. Raises what SSM says when it cannot be read.
 */
export async function telegramApp(): Promise<TelegramApp | undefined> {
  const [apiId, name] = [env('TELEGRAM_API_ID'), env('TELEGRAM_API_HASH_PARAMETER')];
  if (apiId === 0 || name === undefined) return undefined;
  kept ??= parameter(name).catch((error) => {
    kept = undefined;
    throw error;
  });
  return { apiId, apiHash: await kept };
}

async function parameter(name: string): Promise<string> {
  const { Parameter } = await new SSMClient(shortCalls()).send(
    new GetParameterCommand({ Name: name, WithDecryption: true }),
  );
  return String(Parameter?.Value);
}
