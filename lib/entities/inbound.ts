import * as v from 'valibot';
import { platforms } from '#lib/core/channel.ts';
import { inboundModes, inboundStatuses } from '#lib/core/choices.ts';
import { count, id, storedChoice, time } from '#lib/core/schema.ts';
import { tenantKey } from '#lib/core/tenant.ts';
import { entity } from '#lib/table/entity.ts';

const shown = {
  mode: storedChoice(inboundModes),
  status: storedChoice(inboundStatuses),
  lastReceivedAt: v.nullable(time()),
  lastError: v.nullable(v.string()),
};

/** How an account hears what people write to it (contract section 22.1). */
export const Inbound = v.object(shown);

/** State of an account that does not listen yet. */
export const noInbound: v.InferOutput<typeof Inbound> = {
  mode: 'off',
  status: 'off',
  lastReceivedAt: null,
  lastError: null,
};

/** Where the updates of a person's account have been received to; its platform tells what came after. */
export const UpdatesState = v.object({ pts: v.number(), qts: v.number(), date: v.number() });
export type UpdatesState = v.InferOutput<typeof UpdatesState>;

/** As many of them are kept at most. */
export const maxSeen = 200;

/** Which events of an X account are known: all up to `floor`, which late ones come after, and those of `seen` beyond it. */
export const EventsKnown = v.object({
  floor: v.string(),
  seen: v.array(v.string()),
  /** The page at which the search for older ones goes on, where it took too long. */
  from: v.nullable(v.string()),
});
export type EventsKnown = v.InferOutput<typeof EventsKnown>;

/** How an account hears what people write to it. Accounts that have never listened have none. */
export const Inbounds = entity({
  name: 'inbound',
  schema: v.object({
    ...shown,
    /** Id of the account. */
    id: id(),
    channel: storedChoice(platforms),
    lastReceivedAt: v.optional(v.nullable(time()), null),
    /** Where its platform posts, and the word that it proves itself with, encrypted. */
    hook: v.optional(v.nullable(v.object({ id: v.string(), address: v.string(), secret: v.string() })), null),
    /** The platform may know of a hook, this one or an earlier one. */
    isHooked: v.boolean(),
    /** When its hook is to be looked after, or its person's messages are to be asked for; null when there is nothing to do. */
    dueAt: v.nullable(time()),
    /** How often that has failed one after the other. */
    failures: count(),
    /** Next update to ask for when polling. */
    offset: v.optional(v.number()),
    /** The same of a person's account; null where it begins with what comes next. */
    receivedTo: v.optional(v.nullable(UpdatesState), null),
    /** The same of an X account. */
    events: v.optional(v.nullable(EventsKnown), null),
    /** After a failed poll: nobody asks before. */
    restUntil: v.optional(v.nullable(time()), null),
  }),
  // Every message that comes in writes them, side by side with the others.
  countedBeside: ['lastReceivedAt', 'offset'],
  references: [{ to: 'account', field: 'id' }],
  indexes: { polled: ({ mode, isHooked }) => mode === 'polling' && !isHooked },
  timer: ({ id, channel, isHooked, dueAt }, tenant) =>
    dueAt === null
      ? null
      : {
          at: dueAt,
          queue: isHooked ? 'inbound' : 'user-polls',
          message: { accountId: id },
          group: `${tenantKey(tenant)}/${channel}/${id}`,
        },
});

export type StoredInbound = v.InferOutput<(typeof Inbounds)['schema']>;

/** Lease of the process that polls for all accounts of a tenant. */
export const Pollers = entity({
  name: 'poller',
  schema: v.object({
    id: v.literal(1),
    owner: v.optional(v.string()),
    leaseUntilMs: v.optional(v.number(), 0),
    /** When somebody is to poll again should nobody be at it; null when there is no account to poll for. */
    resumeAt: v.optional(v.nullable(time()), null),
  }),
  timer: ({ resumeAt }, tenant) =>
    resumeAt === null ? null : { at: resumeAt, queue: 'polls', message: {}, group: `${tenantKey(tenant)}/poller` },
});

/** Keeps a bot or a person from being connected twice. */
export const AccountHolders = entity({
  name: 'account-holder',
  schema: v.object({ id: id(), channel: storedChoice(platforms), userId: v.string() }),
  sortKey: ({ channel, userId }) => `${channel}/${userId}`,
  references: [{ to: 'account', field: 'id' }],
});
