import * as v from 'valibot';
import { secondMs } from '#lib/core/clock.ts';
import { count, id, time } from '#lib/core/schema.ts';
import { tenantKey } from '#lib/core/tenant.ts';
import { attachmentTimeoutSeconds } from '#lib/core/timeouts.ts';
import { entity } from '#lib/table/entity.ts';

/** Where the bytes of a message's attachments are. */
export const Source = v.variant('kind', [
  /** At Telegram, which a bot asks for them. */
  v.object({ kind: v.literal('bot'), accountId: id() }),
  /** At Telegram, which the account of a person asks for them. */
  v.object({ kind: v.literal('user'), accountId: id() }),
  /** In a mail that lies in its bucket. */
  v.object({ kind: v.literal('mail'), key: v.string() }),
  /** Where a caller has uploaded them. */
  v.object({ kind: v.literal('upload') }),
]);
export type Source = v.InferOutput<typeof Source>;

/** Outlives the process that is at a transfer. */
export const claimMs = (attachmentTimeoutSeconds + 5) * secondMs;

/** Files still to be stored in the bucket for a message; the row goes when they are there. */
export const Transfers = entity({
  name: 'transfer',
  schema: v.object({
    /** Id of the message. */
    id: id(),
    /** In its thread, where it is a mail. */
    mail: v.nullable(v.object({ threadId: id(), id: id() })),
    source: Source,
    /** The attachments, each by what its source calls it. */
    parts: v.array(v.object({ attachmentId: id(), ref: v.string() })),
    /** When somebody is to begin, or to try again should who is at it never end. */
    dueAt: time(),
    tries: count(),
    /** Number of tries that found the day's quota used up. */
    waitedDays: v.exactOptional(count()),
    /** Attachments that the message has no longer: their bytes go. */
    replaced: v.exactOptional(v.array(id())),
    /** Its message is gone: when it is due, whoever was at it has ended, and what was brought goes. */
    isErased: v.exactOptional(v.literal(true)),
    /** It was not begun because its account was taken: whoever has the account may go on with it, due or not. */
    isWaiting: v.exactOptional(v.literal(true)),
  }),
  indexes: {
    waiting: ({ isWaiting, source }) => isWaiting && source.kind === 'user' && source.accountId,
  },
  timer: ({ id, dueAt }, tenant) => ({
    at: dueAt,
    queue: 'attachments',
    message: { messageId: id },
    group: `${tenantKey(tenant)}/attachments`,
  }),
});

export type Transfer = v.InferOutput<(typeof Transfers)['schema']>;

/** Returns the rest of a transfer whose message is gone, without its names, until its stored files are removed. */
export function erased({ isWaiting: _, parts, ...begun }: Transfer, dueAt: string): Transfer {
  return { ...begun, parts: parts.map((part) => ({ ...part, ref: '' })), isErased: true, dueAt };
}
