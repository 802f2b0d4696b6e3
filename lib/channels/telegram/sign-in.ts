import { type ITelegramClient, MtUnsupportedError } from '@mtcute/core';
import { checkPassword, sendCode, signIn } from '@mtcute/core/methods.js';
import { computeSrpParams, defaultProductionDc } from '@mtcute/core/utils.js';
import { env } from '#lib/core/env.ts';
import type { CodeWay } from '#lib/entities/login.ts';
import { type App, type Connection, connect, type Home, readSession } from './connection.ts';
import type { Entered, Entrance, Ticket } from './entrance.ts';
import { RefusedCall } from './refused-call.ts';

/** Telegram's own door, which mtcute opens: one connection for each step, wherever Telegram sends it. */
export const telegramEntrance = (app: App): Entrance => ({
  async sendCode(phone) {
    const connection = await connect(firstHome(), undefined, app);
    try {
      const sent = await sendCode(clientOf(connection, app), { phone });
      if (!('phoneCodeHash' in sent)) throw new Error('Telegram let somebody in without a code');
      const ticket = { phone, phoneCodeHash: sent.phoneCodeHash, session: await connection.exported() };
      return { ticket, sentBy: ways[sent.type] ?? 'other' };
    } finally {
      await connection.close();
    }
  },

  enterCode: (ticket, code) =>
    step(app, ticket, async (client) => {
      const { phone, phoneCodeHash } = ticket;
      return signIn(client, { phone, phoneCodeHash, phoneCode: code });
    }),

  enterPassword: (ticket, password) => step(app, ticket, (client) => checkPassword(client, password)),
});

const ways: Readonly<Record<string, CodeWay>> = {
  app: 'app',
  sms: 'sms',
  sms_word: 'sms',
  sms_phrase: 'sms',
  fragment: 'sms',
  firebase: 'sms',
  call: 'call',
  flash_call: 'call',
  missed_call: 'call',
};

/** Where a login begins. */
function firstHome(): Home {
  const given = env('TELEGRAM_DATA_CENTRE');
  if (given === undefined) return defaultProductionDc;
  const [id, ipAddress = '', port] = given.split(/[@:]/);
  const main = { id: Number(id), ipAddress, port: Number(port) };
  return { main, media: main };
}

/** Returns the parts of a client that mtcute's methods need. */
const clientOf = ({ client, call }: Connection, app: App) =>
  ({
    call,
    getApiCredentials: async () => ({ id: app.apiId, hash: app.apiHash }),
    notifyLoggedIn: async (authorization: Parameters<ITelegramClient['notifyLoggedIn']>[0]) =>
      client.network.notifyLoggedIn(authorization),
    computeSrpParams: (request: Parameters<ITelegramClient['computeSrpParams']>[0], password: string) =>
      computeSrpParams(client.crypto, request, password),
  }) as Partial<ITelegramClient> as ITelegramClient;

type User = Awaited<ReturnType<typeof signIn>>;

async function step(app: App, ticket: Ticket, enter: (client: ITelegramClient) => Promise<User>): Promise<Entered> {
  const session = readSession(ticket.session);
  if (!session) throw new Error('the session of a login cannot be read');
  const connection = await connect(session.primaryDcs, session.authKey, app);
  const { call } = connection;
  try {
    const user = await enter(clientOf(connection, app));
    const { pts, qts, date } = await call({ _: 'updates.getState' });
    return {
      kind: 'in',
      session: await connection.exported(),
      user: { userId: String(user.id), name: user.displayName, username: user.username, state: { pts, qts, date } },
    };
  } catch (error) {
    if (error instanceof MtUnsupportedError) return { kind: 'over', why: 'nobody at Telegram has this phone number' };
    if (!(error instanceof RefusedCall)) throw error;
    if (error.message === 'SESSION_PASSWORD_NEEDED') {
      const { hint = null } = await call({ _: 'account.getPassword' });
      return { kind: 'password', session: await connection.exported(), hint };
    }
    if (wrong.test(error.message)) return { kind: 'wrong' };
    if (error.message === 'PHONE_CODE_EXPIRED')
      return { kind: 'over', why: 'the code is too old, or was passed on in a chat' };
    throw error;
  } finally {
    await connection.close();
  }
}

const wrong = /^(PHONE_CODE_(INVALID|EMPTY)|PASSWORD_HASH_INVALID)$/;
