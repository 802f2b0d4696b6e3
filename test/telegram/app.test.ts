import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startSsm } from '#infra/local/ssm.ts';
import { redirect } from '#test/endpoints.ts';

const parameters: Record<string, string> = {};
let restore: () => void;
let ssm: Awaited<ReturnType<typeof startSsm>>;
beforeAll(async () => {
  const address = { host: '127.0.0.1', port: 0, accessKeyId: process.env['AWS_ACCESS_KEY_ID'] ?? '' };
  ssm = await startSsm({ ...address, accountId: '000000000000', region: 'us-east-1', parameters });
  restore = redirect('SSM', ssm.url);
  vi.stubEnv('TELEGRAM_API_ID', '7');
});
afterAll(() => {
  vi.unstubAllEnvs();
  restore();
  return ssm.close();
});

test('the hash of the Telegram application is read until it is there, and then kept', async () => {
  // As in a process that has not read it.
  const { telegramApp }: typeof import('#lib/channels/telegram/app.ts') = await import(
    `#lib/channels/telegram/app.ts?${Date.now()}`
  );
  vi.stubEnv('TELEGRAM_API_HASH_PARAMETER', undefined);
  expect(await telegramApp()).toBeUndefined();
  vi.stubEnv('TELEGRAM_API_HASH_PARAMETER', '/crm/hash');
  await expect(telegramApp()).rejects.toMatchObject({ name: 'ParameterNotFound' });
  parameters['/crm/hash'] = 'a secret';
  expect(await telegramApp()).toEqual({ apiId: 7, apiHash: 'a secret' });
  parameters['/crm/hash'] = 'another';
  expect(await telegramApp()).toEqual({ apiId: 7, apiHash: 'a secret' });
});
