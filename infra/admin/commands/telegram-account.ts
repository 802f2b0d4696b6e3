import * as v from 'valibot';
import { readSession } from '#lib/channels/telegram/connection.ts';
import { enterCode, enterPassword, startLogin } from '#lib/channels/telegram/login.ts';
import { inboundModes } from '#lib/core/choices.ts';
import { Problem } from '#lib/core/problem.ts';
import { choice, id, line, secret } from '#lib/core/schema.ts';
import { telegram } from '#lib/core/telegram-channel.ts';
import { newAccountFields } from '#lib/entities/account.ts';
import { CreateLogin } from '#lib/entities/login.ts';
import { connectAccount } from '#lib/messages/accounts/change.ts';
import { createAccount } from '#lib/messages/accounts/store.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { openTerminal } from '../terminal.ts';
import { listening, updateOf } from './account.ts';
import { asOperator, tenantFields } from './operator.ts';

const botSecret = { botToken: line(200) };
const userSession = { session: secret() };

const Create = v.intersect([
  v.object(tenantFields),
  v.variant('kind', [
    v.object({ ...newAccountFields, kind: v.literal('bot'), ...botSecret, inbound: v.optional(choice(inboundModes)) }),
    v.object({ ...newAccountFields, kind: v.literal('user'), ...userSession }),
  ]),
]);

/** Whose session it is, where it says so. */
function holderOf(session: string): { platformUserId?: string } {
  const userId = readSession(session)?.self?.userId;
  return userId === undefined ? {} : { platformUserId: String(userId) };
}

async function create(input: v.InferOutput<typeof Create>) {
  const { kind, name, username = null, dailyLimit = telegram.kinds[kind].dailyLimit, pacing } = input;
  const secret = input.kind === 'bot' ? input.botToken : input.session;
  const account = {
    ...{ channel: telegram.name, kind, name, username, dailyLimit, secret },
    ...(pacing !== undefined && { pacing }),
    ...(input.kind === 'user' && holderOf(input.session)),
  };
  const mode = input.kind === 'bot' ? input.inbound : undefined;
  const { id } = await asOperator(input, async (tx) => listening(tx, await createAccount(tx, account), mode));
  return { id };
}

const Connect = v.intersect([
  v.object({ ...tenantFields, id: id() }),
  v.union([v.object(botSecret), v.object(userSession)], 'botToken or session is required'),
]);

/** A new token or session, of the same bot or person. */
async function connect(input: v.InferOutput<typeof Connect>) {
  const secret =
    'botToken' in input
      ? ({ kind: 'bot', secret: input.botToken } as const)
      : ({ kind: 'user', secret: input.session, ...holderOf(input.session) } as const);
  const { id, state } = await asOperator(input, async (tx) =>
    listening(tx, await connectAccount(tx, { id: input.id, channel: telegram.name }, secret)),
  );
  return { id, status: state };
}

const LogIn = v.object({ ...tenantFields, ...CreateLogin.entries });

/** Asks on the terminal for what Telegram sends and for the password, again after what is wrong. */
async function logIn({ workspaceId, env, ...given }: v.InferOutput<typeof LogIn>) {
  const place = { workspaceId, env };
  let login = await asOperator(place, (tx) => startLogin(tx, given));
  const terminal = openTerminal();
  try {
    while (login.status !== 'connected') {
      const { id, status, sentBy, passwordHint } = login;
      const entering =
        status === 'code_needed'
          ? await terminal.ask(`code (by ${sentBy}): `).then((code) => (tx: UnitOfWork) => enterCode(tx, id, { code }))
          : await terminal
              .askHidden(`password${passwordHint ? ` (${passwordHint})` : ''}: `)
              .then((password) => (tx: UnitOfWork) => enterPassword(tx, id, { password }));
      login = await asOperator(place, entering).catch((error) => {
        if (!(error instanceof Problem) || error.status !== 400) throw error;
        terminal.say(error.message);
        return login;
      });
    }
  } finally {
    terminal.close();
  }
  return { id: login.accountId, status: login.status };
}

export const commands = {
  create: { input: Create, run: create },
  update: updateOf(telegram.name),
  connect: { input: Connect, run: connect },
  login: { input: LogIn, run: logIn },
};
