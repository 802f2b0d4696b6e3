import { aws } from '#lib/aws/call.ts';
import { env } from '#lib/env.ts';

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
  const body = JSON.stringify({ Name: name, WithDecryption: true });
  const { Parameter } = (await aws.call({ service: 'ssm', operation: 'GetParameter', body })) as {
    Parameter: { Value: string };
  };
  return Parameter.Value;
}
