import type * as v from 'valibot';
import { decrypt, encrypt } from '#lib/aws/secrets.ts';
import { minuteMs, now, secondMs, shifted } from '#lib/core/clock.ts';
import { conflict, invalidField, notFound, Problem, unavailable } from '#lib/core/problem.ts';
import { telegram } from '#lib/core/telegram-channel.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { asciiDigitsIn, firstCharacters, oneLine } from '#lib/core/text.ts';
import { longTimeoutSeconds } from '#lib/core/timeouts.ts';
import { Accounts, type StoredAccount } from '#lib/entities/account.ts';
import { AccountHolders } from '#lib/entities/inbound.ts';
import {
  type CreateLogin,
  digitsOf,
  type EnterCode,
  type EnterPassword,
  type Login,
  Logins,
  type StoredLogin,
} from '#lib/entities/login.ts';
import { connectAccount } from '#lib/messages/accounts/change.ts';
import { listenAgain } from '#lib/messages/accounts/inbound.ts';
import { createAccount } from '#lib/messages/accounts/store.ts';
import { WriteConflict } from '#lib/table/change.ts';
import { leases } from '#lib/table/lease.ts';
import { inSlot } from '#lib/table/slots.ts';
import { transact } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { telegramApp } from './app.ts';
import { sendingCode } from './codes.ts';
import { type Entered, type Entrance, sandboxEntrance, type Ticket } from './entrance.ts';
import { RefusedCall } from './refused-call.ts';

type Shown = v.InferOutput<typeof Login>;

const lifetimeMs = 10 * minuteMs;
const maxWrong = 5;
const maxNameCharacters = 200;

/** One request at a time asks Telegram, and none for longer than it may run. */
const asking = leases({ owner: 'askedBy', until: 'askedUntilMs', at: (epochMs) => epochMs });
const askMs = (longTimeoutSeconds + 2) * secondMs;

/**
 * Has Telegram send a code to the phone of somebody who wants to log in. Raises 400 for a number that Telegram refuses, 409
 * `telegram_not_configured`, 429 with reason `code_sent_lately` or `daily_quota`, and 503. Needs the key.
 */
export async function startLogin(tx: UnitOfWork, { phone, name }: v.InferOutput<typeof CreateLogin>): Promise<Shown> {
  const { tenant } = tx;
  const { ticket, sentBy } = await inSlot(tenant, askMs, async () => {
    const entrance = await openEntrance(tenant);
    const send = () => telegramSays(entrance.sendCode(phone));
    return entrance === sandboxEntrance ? send() : sendingCode(tenant, phone, send);
  });
  const id = await tx.nextId(Logins);
  const login = tx.create(Logins, {
    id,
    status: 'code_needed',
    sentBy,
    expiresAt: shifted(tx.now, lifetimeMs),
    accountId: null,
    name: name ?? null,
    phoneMasked: masked(phone),
    passwordHint: null,
    secret: await sealed(tenant, id, ticket),
    wrong: 0,
    over: null,
    user: null,
    askedUntilMs: 0,
  });
  return shown(login);
}

/** Raises 404. */
export const getLogin = async (tx: UnitOfWork, id: number): Promise<Shown> => shown(await getStored(tx, id));

/**
 * Enters the code, of whose text the digits count, if it has any: the account is connected, or a password is needed. Raises 404, 400 for a wrong code, 409 `login_over` for the
 * fifth wrong one and once nothing can be entered, and 503. Needs the key.
 */
export const enterCode = (tx: UnitOfWork, id: number, { code }: v.InferOutput<typeof EnterCode>): Promise<Shown> =>
  enter(tx, id, { status: 'code_needed', field: 'code' }, (entrance, ticket) =>
    entrance.enterCode(ticket, asciiDigitsIn(code) || code),
  );

/** The same with the password, of which Telegram is shown only that we know it. */
export const enterPassword = (
  tx: UnitOfWork,
  id: number,
  { password }: v.InferOutput<typeof EnterPassword>,
): Promise<Shown> =>
  enter(tx, id, { status: 'password_needed', field: 'password' }, (entrance, ticket) =>
    entrance.enterPassword(ticket, password),
  );

/** Field that a login expects, and the status in which it does. */
interface Needed {
  status: StoredLogin['status'];
  field: 'code' | 'password';
}

async function enter(
  tx: UnitOfWork,
  id: number,
  needed: Needed,
  ask: (entrance: Entrance, ticket: Ticket) => Promise<Entered>,
): Promise<Shown> {
  const { tenant } = tx;
  const login = await inSlot(tenant, askMs, async () => {
    const held = await hold(tenant, id, needed);
    // Else Telegram has let them in already, and only what follows from it is missing.
    return held.user === null ? asked(tenant, held, needed, ask) : held;
  });
  const known = await getStored(tx, id);
  if (known.askedBy !== login.askedBy) throw new WriteConflict('the login has gone on');
  if (known.user === null) return shown(known);
  const account = await accountOf(tx, known, known.user);
  return shown(tx.update(Logins, { ...known, status: 'connected', accountId: account.id, secret: '' }));
}

/** Asks Telegram, and keeps the answer at once: what was entered cannot be entered twice. */
async function asked(
  tenant: Tenant,
  held: StoredLogin,
  { field }: Needed,
  ask: (entrance: Entrance, ticket: Ticket) => Promise<Entered>,
): Promise<StoredLogin> {
  const { id } = held;
  const ticket = await opened(tenant, held);
  const entered = await telegramSays(openEntrance(tenant).then((entrance) => ask(entrance, ticket))).catch(
    async (error) => {
      await keep(tenant, held, (login) => login);
      throw error;
    },
  );
  switch (entered.kind) {
    case 'in': {
      const [secret, name] = [await sealed(tenant, id, { ...ticket, session: entered.session }), entered.user.name];
      const user = { ...entered.user, name: firstCharacters(oneLine(name), maxNameCharacters) || held.phoneMasked };
      return keep(tenant, held, (login) => ({ ...login, user, secret }));
    }
    case 'password': {
      const secret = await sealed(tenant, id, { ...ticket, session: entered.session });
      const passwordHint = entered.hint && firstCharacters(oneLine(entered.hint), maxNameCharacters);
      return keep(tenant, held, (login) => ({ ...login, status: 'password_needed', passwordHint, secret }));
    }
    case 'wrong': {
      const { over } = await keep(tenant, held, (login) =>
        login.wrong + 1 < maxWrong
          ? { ...login, wrong: login.wrong + 1 }
          : ended({ ...login, wrong: login.wrong + 1 }, 'too many wrong codes or passwords'),
      );
      throw over === null ? invalidField(field, 'invalid_format', `the ${field} is wrong`) : loginOver(over);
    }
    default: {
      await keep(tenant, held, (login) => ended(login, entered.why));
      throw loginOver(entered.why);
    }
  }
}

const ended = (login: StoredLogin, over: string): StoredLogin => ({ ...login, over, secret: '' });

const loginOver = (why: string) => conflict('login_over', `this login is over (${why}): begin a new one`);

/** Takes a login in hand that still needs what is entered. */
const hold = (tenant: Tenant, id: number, { status, field }: Needed): Promise<StoredLogin> =>
  transact(tenant, system, async (tx) => {
    const login = await getStored(tx, id);
    if (login.status === 'connected') throw loginOver('the account is connected');
    if (login.over !== null) throw loginOver(login.over);
    if (login.user !== null) return login;
    if (login.expiresAt <= tx.now) throw loginOver('ten minutes have passed');
    if (login.status !== status)
      throw conflict(login.status, `this login does not take a ${field} now: read its status for the next step`);
    if (!asking.isFree(login))
      throw conflict(
        'login_in_progress',
        'another call is entering a code or password: read the login when that call has ended',
      );
    return tx.update(Logins, { ...login, ...asking.taken(now() + askMs) });
  });

const keep = (tenant: Tenant, held: StoredLogin, change: (login: StoredLogin) => StoredLogin): Promise<StoredLogin> =>
  transact(tenant, system, async (tx) => {
    const login = await getStored(tx, held.id);
    if (!asking.isHeldBy(login, held)) throw new Error('a login was taken from who had it in hand');
    return tx.update(Logins, { ...change(login), askedUntilMs: 0 });
  });

/** The account of the person: connected again, or a new one. Its updates begin where they are now. */
async function accountOf(
  tx: UnitOfWork,
  { id, name, phoneMasked, secret: stored }: StoredLogin,
  { userId, username, state, ...person }: NonNullable<StoredLogin['user']>,
): Promise<StoredAccount> {
  const { session: secret } = await opened(tx.tenant, { id, secret: stored });
  const place = { channel: telegram.name, kind: 'user' } as const;
  const holder = await tx.find(AccountHolders, { channel: telegram.name, userId });
  const account = holder
    ? tx.update(Accounts, {
        ...(await connectAccount(tx, { ...place, id: holder.id }, { ...place, secret, platformUserId: userId })),
        ...(name !== null && { name }),
        username,
        phoneMasked,
      })
    : await createAccount(tx, {
        ...place,
        name: name ?? person.name,
        username,
        phoneMasked,
        dailyLimit: telegram.kinds.user.dailyLimit,
        platformUserId: userId,
        secret,
      });
  await listenAgain(tx, account, undefined, state);
  return account;
}

async function openEntrance({ env: environment }: Tenant): Promise<Entrance> {
  if (environment === 'test') return sandboxEntrance;
  const app = await telegramApp();
  if (app === undefined)
    throw conflict(
      'telegram_not_configured',
      'user accounts are not set up here: ask the operator to set TELEGRAM_API_ID',
    );
  const { telegramEntrance } = await import('./sign-in.ts');
  return telegramEntrance(app);
}

const busySeconds = 5;
/** Telegram wants no more codes to be asked for, or entered, for a while. */
const flood = /^(PHONE_NUMBER_FLOOD|PHONE_PASSWORD_FLOOD|SEND_CODE_UNAVAILABLE)$/;
const floodSeconds = 3600;

/** Returns the answer of Telegram. Raises its refusals as problems, and 503 if there is no answer. */
const telegramSays = <Said>(said: Promise<Said>): Promise<Said> =>
  said.catch((error) => {
    if (error instanceof Problem) throw error;
    if (!(error instanceof RefusedCall)) throw unavailable(busySeconds, error);
    const { code, message } = error;
    if (code === 420) throw unavailable(Number(/_(\d{1,7})$/.exec(message)?.[1] ?? floodSeconds), error);
    if (flood.test(message)) throw unavailable(floodSeconds, error);
    if (message.startsWith('PHONE_NUMBER_'))
      throw invalidField('phone', 'invalid_format', `phone is refused by Telegram (${message}): check the number`);
    if (code < 400 || code >= 500) throw unavailable(busySeconds, error);
    throw conflict(
      'login_refused',
      `Telegram refuses the login with ${code} ${message}: correct the cause, and begin a new one`,
    );
  });

const getStored = (tx: UnitOfWork, id: number) => tx.get(Logins, { id }, () => notFound('login'));

const shown = ({ status, passwordHint, ...login }: StoredLogin): Shown => ({
  ...login,
  status,
  ...(status === 'password_needed' && { passwordHint }),
});

/** Returns the encryption context of the secret of a login. */
export const loginContext = ({ workspaceId, env }: Tenant, id: number) => ({
  workspace: String(workspaceId),
  env,
  login: String(id),
});

const sealed = (tenant: Tenant, id: number, ticket: Ticket) =>
  encrypt(JSON.stringify(ticket), loginContext(tenant, id));

const opened = async (tenant: Tenant, { id, secret }: Pick<StoredLogin, 'id' | 'secret'>): Promise<Ticket> =>
  JSON.parse(await decrypt(secret, loginContext(tenant, id)));

/** `+49*********12` */
function masked(phone: string): string {
  const digits = digitsOf(phone);
  return `+${digits.slice(0, 2)}${'*'.repeat(digits.length - 4)}${digits.slice(-2)}`;
}
