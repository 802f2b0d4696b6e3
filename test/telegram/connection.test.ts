import { test } from 'vitest';
import { telegramApp } from '#lib/channels/telegram/app.ts';
import { readSession, type Session } from '#lib/channels/telegram/connection.ts';
import { connectUser } from '#lib/channels/telegram/user-connection.ts';
import { eventually } from '#test/client.ts';
import { startDataCentre } from '#test/telegram/data-centre.ts';

test('a connection that is closed before it has reached Telegram does not stay open', async () => {
  const centre = await startDataCentre();
  const session = readSession(centre.session) as Session;
  const app = await telegramApp();
  if (!app) throw new Error('the tests have an app of Telegram');
  for (let times = 0; times < 5; times += 1) await (await connectUser(session, app)).close();
  // Those that are closed at once may not have been seen at all.
  const open = await connectUser(session, app);
  await eventually(async () => centre.seen.live === 1, 'the one that is open to be left');
  await open.close();
  await eventually(async () => centre.seen.live === 0, 'all to be closed');
  await centre.close();
});
