import { messaging } from '#lib/channels/channel.ts';
import type { Descriptor } from '#lib/channels/descriptor.ts';
import { timestamp } from '#lib/clock.ts';
import { Accounts, maxAccounts } from '#lib/entities/account.ts';
import { Contacts, MergedContacts, type Traces } from '#lib/entities/contact.ts';
import { Deals } from '#lib/entities/deal.ts';
import { BodyParts, EmailMessages, maxRecipients } from '#lib/entities/email-message.ts';
import { Threads } from '#lib/entities/email-thread.ts';
import { Enrollments } from '#lib/entities/enrollment.ts';
import { Erasures } from '#lib/entities/erasure.ts';
import { AccountHolders, Inbounds } from '#lib/entities/inbound.ts';
import { Jobs } from '#lib/entities/job.ts';
import { Members, maxMembers } from '#lib/entities/member.ts';
import { Messages } from '#lib/entities/message.ts';
import { maxRevenueSources, RevenueSources } from '#lib/entities/revenue-source.ts';
import { Senders } from '#lib/entities/sender.ts';
import { Sequences, type Step } from '#lib/entities/sequence.ts';
import { maxTags, TagCounts, Tags } from '#lib/entities/tag.ts';
import { Tasks } from '#lib/entities/task.ts';
import { Endpoints } from '#lib/entities/webhook.ts';
import { maxEndpoints, Registries } from '#lib/entities/webhook-registry.ts';
import { type Entity, fieldsWithin } from '#lib/table/entity.ts';
import type { Key } from '#lib/table/keys.ts';
import { bytesOf } from '#lib/table/size.ts';
import { divided, entityIn } from './kinds.ts';

type Item = Record<string, unknown>;

const lengthOf = (...lists: unknown[]) => lists.flatMap((list) => (Array.isArray(list) ? list : [])).length;

const hasKind = (channel: unknown, kind: unknown) =>
  String(kind) in ((messaging as Record<string, Descriptor>)[String(channel)]?.kinds ?? {});

/** What leaves by mail has no account, and all else has one. */
const sentByWrong = (channel: unknown, accountId: unknown): string | false =>
  channel === 'email'
    ? accountId !== null && 'is sent by mail, and not by an account'
    : accountId === null && 'is sent by nobody: accountId is required';

/** What no caller could have had stored, though each field by itself could be, and what would then be done for ever. */
const excesses = new Map<Entity, (item: Item) => string | false>([
  [
    Sequences,
    ({ steps, stepCount, channel, accountId }) =>
      ((steps as Step[]).some(({ position }, index) => position !== index + 1) && 'has steps that are out of order') ||
      ((lengthOf(steps) === 0 || lengthOf(steps) !== stepCount) && 'has another number of steps than it says') ||
      sentByWrong(channel, accountId),
  ],
  // Whoever does it is a saga, which no archive has.
  [Erasures, ({ status }) => status !== 'completed' && 'is under way'],
  [Accounts, ({ channel, kind }) => !hasKind(channel, kind) && `has a kind that ${channel} has not: ${kind}`],
  // Every recipient takes a turn that all workspaces share.
  [
    EmailMessages,
    ({ direction, to, cc, bcc }) =>
      direction === 'outbound' && lengthOf(to, cc, bcc) > maxRecipients && 'goes to more than a mail goes to',
  ],
  [
    Jobs,
    ({ status, channel, accountId, runAt, queuedFor }) =>
      sentByWrong(channel, accountId) ||
      (status === 'queued' && String(queuedFor) > String(runAt) && 'is due before its turn'),
  ],
]);

/** Why an item of an archive cannot be taken in, which by itself it could be; undefined where it can. */
export const excess = (of: Entity, item: Item): string | undefined => excesses.get(of)?.(item) || undefined;

/** An item that a file must hold, by what it is called and what tells it from others. */
type Named = readonly [name: string, ...ids: unknown[]];

/** What an item is known by to others in the file. */
const namesOf = new Map<Entity, (item: Item) => Named[]>([
  [
    Accounts,
    ({ id, channel }) => [
      [Accounts.name, id],
      [accountOf(channel), id],
    ],
  ],
  [Deals, ({ id }) => [[Deals.name, id]]],
  [
    Jobs,
    ({ id, status, sequenceId, enrollmentId }) => [
      [Jobs.name, id],
      ...(status === 'queued' ? [stepOf(sequenceId, enrollmentId, id)] : []),
    ],
  ],
  [Sequences, ({ id }) => [[Sequences.name, id]]],
  [Threads, ({ id }) => [[Threads.name, id]]],
  [Endpoints, ({ id }) => [[Endpoints.name, id]]],
  [Messages, ({ contactId, id }) => [message(contactId, id)]],
  [
    EmailMessages,
    ({ threadId, id, jobId }) => [
      [EmailMessages.name, threadId, id],
      [mailOfJob, jobId],
    ],
  ],
]);

const mailOfJob = 'mail of job';
/** A message that is yet to leave, by the enrollment that waits for it. */
const stepOf = (...ids: readonly [sequenceId: unknown, enrollmentId: unknown, jobId: unknown]): Named => [
  'step',
  ...ids,
];
/** Messages lie with their contacts. */
const message = (contactId: unknown, id: unknown): Named => [Messages.name, contactId ?? 'none', id];
/** What an active enrollment waits for that is not due by itself. */
const stepAwaitedBy = (env: string, { sequenceId, id, jobId, nextRunAt }: Item): string | undefined =>
  jobId === null && nextRunAt !== null ? undefined : inEnv(env, stepOf(sequenceId, id, jobId));
const inEnv = (env: string, [name, ...ids]: Named) => `${env}: ${name} ${ids.join('/')}`;
const named = (name: string, id: unknown): Named[] => (typeof id === 'number' ? [[name, id]] : []);
const accountOf = (channel: unknown) => `${channel} ${Accounts.name}`;
const account = (channel: unknown, id: unknown): Named[] => [
  ...named(Accounts.name, id),
  ...named(accountOf(channel), id),
];

/** Without what its worker would fail, or an answer about another. */
const needsOf = new Map<Entity, (item: Item) => Named[]>([
  [
    Jobs,
    ({ id, status, channel, accountId, contactId, messageId, sequenceId }) => [
      ...account(channel, accountId),
      message(contactId, messageId),
      ...named(Sequences.name, sequenceId),
      ...(status === 'queued' && channel === 'email' ? [[mailOfJob, id] as const] : []),
    ],
  ],
  [Tasks, ({ dealId }) => named(Deals.name, dealId)],
  [Sequences, ({ channel, accountId }) => account(channel, accountId)],
  [Inbounds, ({ channel, id }) => account(channel, id)],
  [AccountHolders, ({ channel, id }) => account(channel, id)],
  [Senders, ({ channel, id }) => account(channel, id)],
  [
    Enrollments,
    ({ sequenceId, status, jobId, threadId }) => [
      [Sequences.name, sequenceId],
      ...(status === 'active' ? [...named(Jobs.name, jobId), ...named(Threads.name, threadId)] : []),
    ],
  ],
  [EmailMessages, ({ threadId }) => [[Threads.name, threadId]]],
  [BodyParts, ({ threadId, messageId }) => [[EmailMessages.name, threadId, messageId]]],
]);

/** What a row counts of others: it may be of another moment than they are, and would be below nothing when they are gone. */
const countsOf = new Map<Entity, string>([
  [Tags, 'contactCount'],
  [Deals, 'openTaskCount'],
  [TagCounts, 'count'],
]);
const countedBy = new Map<Entity, (item: Item) => (readonly [counted: string, id: unknown])[]>([
  [
    Contacts,
    ({ tagIds }) => (Array.isArray(tagIds) ? [...new Set(tagIds)].map((id) => ['contactCount', id] as const) : []),
  ],
  [Tasks, ({ dealId, status }) => (status === 'done' ? [] : [['openTaskCount', dealId]])],
  [Tags, () => [['count', 1]]],
]);
/** Contacts keep the ids of tags that are gone, each of which is counted until the file has been read. */
const maxTagIds = 1_000_000;

/** Of whom there is one row alone: who was merged is not there. */
const oneOf: readonly Entity[] = [Contacts, MergedContacts];

/** Of an environment, or of what both share. */
const mostOf = new Map<Entity, number>([
  [Accounts, maxAccounts],
  [Members, maxMembers],
  [RevenueSources, maxRevenueSources],
  [Endpoints, maxEndpoints],
  [Tags, maxTags],
]);

/** Names by which those were known whom one contact was made of: an erasure looks for each in many accounts. */
const maxKnownBy = 10_000;

/** As many bytes as a row has that counts ids, or what an account did on a day, and as many rows as a thousand accounts are spread over. */
const [maxIdBytes, maxDayBytes, maxDayRows] = [4_000, 500, 12_000];
const isOfDay = (partition: string) => /^count\/(met|sent)\//.test(partition);

/** What the rows of a file say together. */
export class Together {
  /** Rows by their kind, or counters by their partition, of an environment. */
  readonly #counts = new Map<string, number>();
  /** What rows count of others, by whose id it is. */
  readonly #counted = new Map<string, Map<number, number>>();
  /** The active enrollments of a sequence, by the message that each waits for, if it does. */
  readonly #active = new Map<string, (string | undefined)[]>();
  readonly #statuses = new Map<string, unknown>();
  readonly #named = new Set<string>();
  /** The line of what names another that must be there. */
  readonly #wanted = new Map<string, number>();
  readonly #alone = new Map<string, Entity>();
  readonly #merged = new Map<string, { into: string; knownBy: number; line: number }>();

  /** Why the file cannot be taken in with this row, too. */
  add({ pk, ...row }: Key & Record<string, unknown>, line: number): string | undefined {
    const { env, partition } = divided(pk);
    const of = entityIn(partition);
    return of ? this.#addItem(env, of, row, line) : this.#addCounter(pk, partition, row);
  }

  #addItem(env: string, of: Entity, item: Item, line: number): string | undefined {
    for (const named of namesOf.get(of)?.(item) ?? []) this.#named.add(inEnv(env, named));
    // A merge moves it to where the other lies.
    if (fieldsWithin(of).includes('contactId') && !this.#isFirst(env, of, item))
      return `is ${of.name} ${item['id']} of two contacts`;
    for (const needed of needsOf.get(of)?.(item) ?? []) this.#wanted.set(inEnv(env, needed), line);
    const alone = `${env}: ${item['id']}`;
    if (oneOf.includes(of) && (this.#alone.get(alone) ?? of) !== of)
      return `is ${Contacts.name} ${item['id']}, who was merged, and is there`;
    if (oneOf.includes(of)) this.#alone.set(alone, of);
    if (of === MergedContacts) {
      const traces = item['traces'] as Traces | undefined;
      const knownBy = lengthOf(traces?.userIds, traces?.names) + 1;
      this.#merged.set(alone, { into: `${env}: ${item['into']}`, knownBy, line });
    }
    for (const [counted, id] of countedBy.get(of)?.(item) ?? []) {
      const counts = this.#countsOf(env, counted);
      counts.set(Number(id), (counts.get(Number(id)) ?? 0) + 1);
      if (of === Contacts && counts.size > maxTagIds) return `there are more than ${maxTagIds} tags`;
    }
    if (of === Sequences) this.#statuses.set(`${env}: ${item['id']}`, item['status']);
    if (of === Enrollments && item['status'] === 'active') {
      const sequence = `${env}: ${item['sequenceId']}`;
      const active = this.#active.get(sequence) ?? [];
      active.push(stepAwaitedBy(env, item));
      this.#active.set(sequence, active);
    }
    const most = mostOf.get(of);
    const count = this.#count(`${env}: ${of.name}`);
    return most !== undefined && count > most ? `there are more than ${most} ${of.name}s` : undefined;
  }

  #addCounter(pk: string, partition: string, row: Item): string | undefined {
    const maxBytes = isOfDay(partition) ? maxDayBytes : maxIdBytes;
    if ((isOfDay(partition) || /^(ids|sequence)$/.test(partition)) && bytesOf(row) > maxBytes)
      return 'is larger than what counts';
    // All rows of a group are read together.
    const isMore = isOfDay(partition) && this.#count(pk) > maxDayRows;
    return isMore ? `there are more than ${maxDayRows} counters of one kind` : undefined;
  }

  /**
   * The row with what it counts of others, and with those of them that there are, as the file, of which that were all rows, has them; an enrollment
   * that waits for nothing that would come has stopped, and nothing is held that nobody would let go on.
   */
  rectified<Row extends Key>(row: Row): Row {
    const { env, partition } = divided(row.pk);
    const of = entityIn(partition);
    const item = row as Item;
    const sequence = `${env}: ${of === Sequences ? item['id'] : item['sequenceId']}`;
    if (of === Enrollments && item['status'] === 'active') {
      if (!this.#goesOn(sequence, stepAwaitedBy(env, item)))
        return { ...row, status: 'stopped', jobId: null, nextRunAt: null, heldAt: null, completedAt: timestamp() };
      return this.#statuses.get(sequence) === 'active' ? { ...row, heldAt: null } : row;
    }
    // Whoever would let it go on has done so.
    if (of === Jobs && item['isHeld'] && !['paused', 'draft'].includes(String(this.#statuses.get(sequence))))
      return { ...row, isHeld: false };
    if (of === Sequences) {
      const active = this.#active.get(sequence) ?? [];
      return { ...row, activeCount: active.filter((step) => this.#goesOn(sequence, step)).length };
    }
    if (of === Registries) {
      const endpoints = (item['endpoints'] as { id: unknown }[]).filter(({ id }) =>
        this.#named.has(inEnv(env, [Endpoints.name, id])),
      );
      return { ...row, endpoints };
    }
    const counted = of && countsOf.get(of);
    if (!counted) return row;
    return { ...row, [counted]: this.#countsOf(env, counted).get(Number(item['id'])) ?? 0 };
  }

  /** How many rows there are of an entity that both environments share. */
  shared(of: Entity): number {
    return this.#counts.get(`: ${of.name}`) ?? 0;
  }

  /** Whether an active enrollment of a sequence is ever taken on. */
  #goesOn(sequence: string, step: string | undefined): boolean {
    return this.#statuses.get(sequence) !== 'completed' && (step === undefined || this.#named.has(step));
  }

  #isFirst(env: string, of: Entity, { id }: Item): boolean {
    const ids = this.#countsOf(env, `${of.name} of a contact`);
    if (ids.has(Number(id))) return false;
    ids.set(Number(id), 1);
    return true;
  }

  #countsOf(env: string, counted: string): Map<number, number> {
    const name = `${env}: ${counted}`;
    const counts = this.#counted.get(name) ?? new Map();
    this.#counted.set(name, counts);
    return counts;
  }

  #count(name: string): number {
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    return count;
  }

  /** What the file, of which that were all rows, says of things that it does not hold, or holds too much of, and where. */
  lack(): { line: number; reason: string } | undefined {
    const [needed, line] = [...this.#wanted].find(([one]) => !this.#named.has(one)) ?? [];
    if (needed !== undefined && line !== undefined)
      return { line, reason: `is of ${needed.slice(needed.indexOf(': ') + 2)}, which there is not` };
    return this.#overfull();
  }

  /** One who was merged into somebody who was made of more than an erasure can look for. */
  #overfull(): { line: number; reason: string } | undefined {
    const lastOf = new Map<string, string>();
    const knownBy = new Map<string, number>();
    for (const [one, merged] of this.#merged) {
      // Some may have been merged in a circle: nobody who is there was made of them.
      const path = new Set<string>();
      let at = one;
      for (let next = this.#merged.get(at); next && !path.has(at) && !lastOf.has(at); next = this.#merged.get(at)) {
        path.add(at);
        at = next.into;
      }
      const last = lastOf.get(at) ?? at;
      for (const met of path) lastOf.set(met, last);
      const sum = (knownBy.get(last) ?? 0) + merged.knownBy;
      knownBy.set(last, sum);
      if (sum > maxKnownBy)
        return { line: merged.line, reason: `is merged into one who was known by more than ${maxKnownBy} names` };
    }
    return undefined;
  }
}
