import * as v from 'valibot';
import { platforms } from '#lib/core/channel.ts';
import { accountKinds } from '#lib/core/channel-descriptor.ts';
import { accountStates, accountStatuses, inboundModes } from '#lib/core/choices.ts';
import { choice, count, id, integer, line, objectInput, paging, storedChoice, time } from '#lib/core/schema.ts';
import { entity } from '#lib/table/entity.ts';
import { contactFields } from './contact.ts';
import { Inbound } from './inbound.ts';

const shown = {
  id: id(),
  kind: v.picklist(accountKinds),
  name: v.string(),
  username: v.nullable(v.string()),
  phoneMasked: v.nullable(v.string()),
  status: v.picklist(accountStatuses),
  floodWaitUntil: v.nullable(time()),
  dailyLimit: count(),
  sentToday: count(),
  queuedCount: count(),
  inbound: Inbound,
  /** As it is kept: what its kind does by default where the account has no pacing of its own. */
  pacing: v.object({
    peerGapMs: count(),
    gapMs: count(),
    perMinute: v.nullable(count()),
    newPeersPerDay: v.nullable(count()),
  }),
  createdAt: time(),
};

/** An account on a platform that messages leave through (contract section 3). */
export const Account = v.pipe(v.object(shown), v.title('Account'));

/** Fields of an account, and of how it hears, that the system changes. */
export const reportedOfAccounts = [
  'status',
  'floodWaitUntil',
  'sentToday',
  'queuedCount',
  'lastReceivedAt',
  'lastError',
] as const;

export const AccountQuery = v.object({ ...paging, status: v.optional(choice(accountStatuses)) });

const { sentToday, queuedCount, status, inbound, pacing, ...stored } = shown;

const paces = {
  /** Between two messages to one recipient. */
  peerGapMs: integer(0, 3_600_000),
  /** Between two messages to anyone. */
  gapMs: integer(0, 3_600_000),
  perMinute: integer(1, 100_000),
  /** People to whom a Telegram user account writes for the first time. */
  newPeersPerDay: integer(0, 100_000),
};
/** How fast an account sends, where that is not what its kind does by default. */
const Pacing = v.object({
  peerGapMs: v.exactOptional(paces.peerGapMs),
  gapMs: v.exactOptional(paces.gapMs),
  perMinute: v.exactOptional(paces.perMinute),
  newPeersPerDay: v.exactOptional(paces.newPeersPerDay),
});

type Pacing = v.InferOutput<typeof Pacing>;

/** The same as it is given: null is what its kind does by default. */
const PacingInput = v.pipe(
  objectInput({
    peerGapMs: v.exactOptional(v.nullable(paces.peerGapMs)),
    gapMs: v.exactOptional(v.nullable(paces.gapMs)),
    perMinute: v.exactOptional(v.nullable(paces.perMinute)),
    newPeersPerDay: v.exactOptional(v.nullable(paces.newPeersPerDay)),
  }),
  v.title('Pacing'),
);

export type PacingInput = v.InferOutput<typeof PacingInput> | null;

/** As it is stored: without what is the kind's default. */
export const storedPacing = (given: PacingInput): Pacing =>
  Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== null));

/**
 * An account on a platform that messages are sent with; its secret is encrypted. Those of all platforms share one
 * counter of ids, so that `accountId` alone says which is meant.
 */
export const Accounts = entity({
  name: 'account',
  schema: v.object({
    ...stored,
    channel: storedChoice(platforms),
    /** At the platform; unknown of one that an operator has connected, who asks nobody. */
    // In the sandbox a part of the token.
    platformUserId: v.exactOptional(v.string()),
    /** Whether it can be used at all; a flood wait is in `floodWaitUntil`. */
    state: v.picklist(accountStates),
    /** Since when it cannot, as long as that is so. Absent where nobody has written it down: from before it was. */
    lostAt: v.exactOptional(time()),
    /** Telegram has taken it for a spammer: it writes to nobody new until then. `hours`: the length of that wait. */
    newPeers: v.optional(v.object({ pausedUntil: time(), hours: v.number() })),
    pacing: v.exactOptional(Pacing),
    /** Bot token, session or access token, encrypted. */
    secret: v.string(),
  }),
});

/** Limit per environment. */
export const maxAccounts = 1000;

export type StoredAccount = v.InferOutput<(typeof Accounts)['schema']>;

export const newAccountLimits = {
  dailyLimit: v.exactOptional(integer(1, 1_000_000)),
  pacing: v.exactOptional(v.nullable(PacingInput)),
};

/** Fields of a new account besides the credentials of its channel. */
export const newAccountFields = { name: line(200), username: contactFields.username, ...newAccountLimits };

export const UpdateAccount = v.object(newAccountLimits);

/** Fields of an account that a caller may change (contract section 22.1). */
export const PatchAccount = v.pipe(
  v.object({
    name: v.exactOptional(line(200)),
    ...newAccountLimits,
    inbound: v.optional(choice(inboundModes)),
  }),
  v.title('PatchAccount'),
);
