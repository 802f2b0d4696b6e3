import * as v from 'valibot';
import { dayMs, epochSeconds } from '#lib/core/clock.ts';
import { checked, count, id, line, pattern, storedChoice, time, unkeptText } from '#lib/core/schema.ts';
import { entity } from '#lib/table/entity.ts';
import { UpdatesState } from './inbound.ts';

/** How a code reaches the person. */
const codeWays = ['app', 'sms', 'call', 'other'] as const;
export type CodeWay = (typeof codeWays)[number];

const shown = {
  id: id(),
  status: storedChoice(['code_needed', 'password_needed', 'connected']),
  sentBy: storedChoice(codeWays),
  expiresAt: time(),
  accountId: v.nullable(id()),
};

/** A person who is logging in to Telegram (contract section 22.1). */
export const Login = v.pipe(
  v.object({
    ...shown,
    /** While a password is needed. */
    passwordHint: v.exactOptional(v.nullable(v.string())),
  }),
  v.title('TelegramLogin'),
);

/** Returns the digits of a phone number. */
export const digitsOf = (phone: string): string => phone.replaceAll(/\D/g, '');

export const CreateLogin = v.pipe(
  v.object({
    phone: v.pipe(
      pattern(/^\+?[\d ().-]{5,40}$/, 41, 'a phone number in international form'),
      checked<string>('regex', (phone) => /^\d{5,15}$/.test(digitsOf(phone)), 'must have 5 to 15 digits'),
      v.examples(['+4915112345678']),
    ),
    name: v.exactOptional(line(200)),
  }),
  v.title('CreateTelegramLogin'),
);

export const EnterCode = v.pipe(v.object({ code: line(100) }), v.title('EnterTelegramCode'));

export const EnterPassword = v.pipe(v.object({ password: unkeptText(1000) }), v.title('EnterTelegramPassword'));

/** Owner of the phone number, once Telegram has accepted the login. */
const LoggedIn = v.object({
  userId: v.string(),
  name: v.string(),
  username: v.nullable(v.string()),
  /** Null in the sandbox. */
  state: v.nullable(UpdatesState),
});
export type LoggedIn = v.InferOutput<typeof LoggedIn>;

/** A person who is logging in to Telegram; the session is encrypted. */
export const Logins = entity({
  name: 'login',
  schema: v.object({
    ...shown,
    /** Name of the account; without it the account has the person's name. */
    name: v.nullable(v.string()),
    phoneMasked: v.string(),
    passwordHint: v.nullable(v.string()),
    /** Identifier of the attempt at Telegram, with its session, encrypted; empty once it is over. */
    secret: v.string(),
    /** Wrong codes and passwords. */
    wrong: count(),
    /** Why nothing can be entered any more. */
    over: v.nullable(v.string()),
    user: v.nullable(LoggedIn),
    /** Lease of the process that is calling Telegram. */
    askedBy: v.exactOptional(v.string()),
    askedUntilMs: v.number(),
  }),
  references: [{ to: 'account', field: 'accountId' }],
  expiresAtSeconds: ({ expiresAt }) => epochSeconds(new Date(Date.parse(expiresAt) + dayMs)),
});

export type StoredLogin = v.InferOutput<(typeof Logins)['schema']>;
