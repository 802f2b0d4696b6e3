import { Accounts } from '#lib/entities/account.ts';
import { Jobs } from '#lib/entities/job.ts';
import { RevenueSources } from '#lib/entities/revenue-source.ts';
import { Sequences, type Step } from '#lib/entities/sequence.ts';
import { Endpoints } from '#lib/entities/webhook.ts';
import { maxEndpoints } from '#lib/entities/webhook-registry.ts';
import { type Entity, kindOf } from '#lib/table/entity.ts';
import type { Key } from '#lib/table/keys.ts';
import { bytesOf } from '#lib/table/size.ts';

type Item = Record<string, unknown>;

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
  [RevenueSources, ({ pullIntervalMinutes }) => Number(pullIntervalMinutes) < 1 && 'is pulled without a pause'],
]);

/** Why an item of an archive cannot be taken in, which by itself it could be; undefined where it can. */
export const excess = (of: Entity, item: Item): string | undefined => excesses.get(of)?.(item) || undefined;

const partitionOf = (of: Entity) => `#${kindOf(of)}`;

/** What the rows of a file say together. */
export class Together {
  readonly #accounts = new Set<string>();
  /** The line of a job that is to be sent by an account. */
  readonly #wanted = new Map<string, number>();
  readonly #endpoints = new Map<string, number>();

  /** Why the file cannot be taken in with this row, too. */
  add({ pk, ...row }: Key & Record<string, unknown>, line: number): string | undefined {
    const env = pk.slice(0, pk.indexOf('#'));
    if (pk.endsWith(partitionOf(Accounts))) this.#accounts.add(`${env}/${row['id']}`);
    if (pk.endsWith(partitionOf(Jobs)) && row['status'] === 'queued' && row['accountId'] !== null)
      this.#wanted.set(`${env}/${row['accountId']}`, line);
    if (!pk.endsWith(partitionOf(Endpoints))) return undefined;
    const count = (this.#endpoints.get(env) ?? 0) + 1;
    this.#endpoints.set(env, count);
    return count > maxEndpoints ? `there are more than ${maxEndpoints} endpoints` : undefined;
  }

  /** The line of a job whose account the file does not have. */
  stray(): number | undefined {
    return [...this.#wanted].find(([account]) => !this.#accounts.has(account))?.[1];
  }
}
