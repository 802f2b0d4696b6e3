import { Accounts } from '#lib/entities/account.ts';
import { EmailMessages, maxRecipients } from '#lib/entities/email-message.ts';
import { maxParticipants, Threads } from '#lib/entities/email-thread.ts';
import { Jobs } from '#lib/entities/job.ts';
import { RevenueSources } from '#lib/entities/revenue-source.ts';
import { Sequences, type Step } from '#lib/entities/sequence.ts';
import { Endpoints } from '#lib/entities/webhook.ts';
import { maxEndpoints } from '#lib/entities/webhook-registry.ts';
import { type Entity, kindOf } from '#lib/table/entity.ts';
import type { Key } from '#lib/table/keys.ts';
import { bytesOf } from '#lib/table/size.ts';

type Item = Record<string, unknown>;

const lengthOf = (...lists: unknown[]) => lists.flatMap((list) => (Array.isArray(list) ? list : [])).length;

/** With the longest url, description and filter that a caller may state. */
const maxEndpointBytes = 30_000;

/** What no caller could have had stored, though the row is one of its kind, and what would then be done for ever. */
const excesses = new Map<Entity, (item: Item) => string | false>([
  [Endpoints, (endpoint) => bytesOf(endpoint) > maxEndpointBytes && 'is larger than an endpoint may be'],
  [
    Sequences,
    ({ steps }) =>
      (steps as Step[]).some(({ position }, index) => position !== index + 1) && 'has steps that are out of order',
  ],
  // Every recipient takes a turn that all workspaces share.
  [
    EmailMessages,
    ({ direction, to, cc, bcc }) =>
      direction === 'outbound' && lengthOf(to, cc, bcc) > maxRecipients && 'goes to more than a mail goes to',
  ],
  [
    Threads,
    ({ participants, lastInbound }) =>
      (lengthOf(participants) > maxParticipants ||
        lengthOf((lastInbound as Item | null)?.['others']) > 2 * maxParticipants) &&
      'has more people than a thread has',
  ],
  [
    Jobs,
    ({ status, channel, accountId, runAt, queuedFor }) =>
      (status === 'queued' && channel !== 'email' && accountId === null && 'is sent by nobody') ||
      (status === 'queued' && String(queuedFor) > String(runAt) && 'is due before its turn'),
  ],
  [RevenueSources, ({ pullIntervalMinutes }) => Number(pullIntervalMinutes) < 1 && 'is pulled without a pause'],
]);

/** Why an item of an archive cannot be taken in, which by itself it could be; undefined where it can. */
export const excess = (of: Entity, item: Item): string | undefined => excesses.get(of)?.(item) || undefined;

const partitionOf = (of: Entity) => `#${kindOf(of)}`;

/** As many bytes as a row that counts has, and as many rows as the counters of a thousand accounts are spread over. */
const [maxCounterBytes, maxCounterRows] = [4_000, 8_000];
const maxBytesReadWhole = 500;

/** Counters of which all rows of a group are read together. */
const readWhole = /^count\/(sent|met|queued)\b/;

/** What the rows of a file say together. */
export class Together {
  readonly #accounts = new Set<string>();
  readonly #counters = new Map<string, number>();
  /** The line of what is to be sent by an account, or may be again. */
  readonly #wanted = new Map<string, number>();
  readonly #endpoints = new Map<string, number>();

  /** Why the file cannot be taken in with this row, too. */
  add({ pk, ...row }: Key & Record<string, unknown>, line: number): string | undefined {
    const env = pk.slice(0, pk.indexOf('#'));
    const partition = pk.slice(env.length + 1);
    if (pk.endsWith(partitionOf(Accounts))) this.#accounts.add(`${env}/${row['id']}`);
    if ([Jobs, Sequences].some((of) => pk.endsWith(partitionOf(of))) && typeof row['accountId'] === 'number')
      this.#wanted.set(`${env}/${row['accountId']}`, line);
    if (/^(ids$|sequence$|count\/)/.test(partition) && bytesOf(row) > maxCounterBytes)
      return 'is larger than what counts';
    if (readWhole.test(partition)) {
      const rows = (this.#counters.get(pk) ?? 0) + 1;
      this.#counters.set(pk, rows);
      if (bytesOf(row) > maxBytesReadWhole) return 'is larger than what counts';
      if (rows > maxCounterRows) return `there are more than ${maxCounterRows} counters of one kind`;
    }
    if (!pk.endsWith(partitionOf(Endpoints))) return undefined;
    const count = (this.#endpoints.get(env) ?? 0) + 1;
    this.#endpoints.set(env, count);
    return count > maxEndpoints ? `there are more than ${maxEndpoints} endpoints` : undefined;
  }

  /** The line of a job or sequence whose account the file does not have. */
  stray(): number | undefined {
    return [...this.#wanted].find(([account]) => !this.#accounts.has(account))?.[1];
  }
}
