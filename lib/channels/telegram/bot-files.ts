import * as v from 'valibot';
import { maxBotFileBytes } from '#lib/core/telegram-channel.ts';
import type { Tenant } from '#lib/core/tenant.ts';
import { downloadTimeoutMs } from '#lib/core/timeouts.ts';
import type { StoredAccount } from '#lib/entities/account.ts';
import type { FileSource } from '#lib/files/source.ts';
import { accountSecret } from '#lib/messages/accounts/store.ts';
import { openBotApi } from './bot-api.ts';
import { RefusedCall } from './refused-call.ts';

const TelegramFile = v.object({ file_path: v.string() });

/** The files that people have sent to a bot, by their `file_id`. Needs the key. */
export async function openBotFiles(tenant: Tenant, account: StoredAccount): Promise<FileSource> {
  const token = await accountSecret(tenant, account);
  // The reader counts the bytes.
  const bot = openBotApi(token, { timeoutMs: downloadTimeoutMs, maxResponseBytes: 2 * maxBotFileBytes });
  return {
    maxBytes: maxBotFileBytes,
    async open(fileId) {
      const answer = await bot.call('getFile', { file_id: fileId });
      if (answer.kind === 'refusal' && answer.retryAfterSeconds === undefined && answer.status < 500)
        return { kind: /file is too big/i.test(answer.error) ? 'too_large' : 'failed' };
      if (answer.kind === 'refusal' && answer.retryAfterSeconds !== undefined)
        throw new RefusedCall(answer.status, `FLOOD_WAIT_${Math.ceil(answer.retryAfterSeconds)}`);
      const file = v.safeParse(TelegramFile, answer.kind === 'result' ? answer.result : undefined);
      if (!file.success) throw new Error('Telegram does not say where a file is');
      const { status, bytes } = await bot.download(file.output.file_path);
      if (status === 200) return { kind: 'bytes', bytes };
      throw new Error(`Telegram answered ${status} instead of a file`);
    },
    close: () => bot.close(),
  };
}
