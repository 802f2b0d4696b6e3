import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import * as v from 'valibot';
import { env } from '#lib/core/env.ts';
import { badRequest, conflict } from '#lib/core/problem.ts';
import { environments, operator, tenantKey } from '#lib/core/tenant.ts';
import { Jobs, type StoredJob } from '#lib/entities/job.ts';
import { Members } from '#lib/entities/member.ts';
import { Pipelines } from '#lib/entities/pipeline.ts';
import { Workspaces } from '#lib/entities/workspace.ts';
import { queuedAs } from '#lib/messages/accounts/store.ts';
import { type Conditional, conditional, rounds, send } from '#lib/table/change.ts';
import { duePrefix } from '#lib/table/entity.ts';
import { counterKey, identity, type Key, rowKey } from '#lib/table/keys.ts';
import { type Row, readRows, removeRows } from '#lib/table/rows.ts';
import { Sums, spreads } from '#lib/table/sums.ts';
import { transact, untilFirst } from '#lib/table/transact.ts';
import { writeIf } from '#lib/table/write.ts';
import { findRegistry, rotate } from '#lib/webhooks/registry.ts';
import { ArchivedRow, type Arrival, Header, restored, Trailer, UnfitRow } from './archive.ts';
import { Digest, isSealOf } from './seal.ts';

/** Kept in memory before they are written together. */
const maxRows = 200;

/**
 * Fills a new or unused workspace from a file of `exportWorkspace`, or finishes an interrupted import of the same file; accounts arrive
 * disconnected, webhooks and revenue sources inactive, all else that is due goes on. Returns what the file holds.
 * Raises 400 for a file that is not as it was exported, 409 for a workspace that has data. Needs the key.
 */
export async function importWorkspace(
  id: number,
  file: string,
  { isUnsigned = false }: { isUnsigned?: boolean } = {},
): Promise<Record<string, number>> {
  const { from, digest, counts } = await verify(id, file, isUnsigned);
  const own = await begin(id, digest);
  // Rows that make a workspace visible, and rows that start work, are written last.
  const [ids, ends]: [Row[], Row[]] = [[], []];
  const timers: Row[] = [];
  const workspace: Row[] = [];
  const others: Row[] = [];
  const sums = new Sums();
  let members = 0;
  for await (const row of rowsOf(file)) {
    const arrived = restored(from, id, row);
    if ('pk' in arrived) {
      const [, kind] = arrived.pk.split('#');
      (kind === 'ids' ? ids : kind === 'sequence' ? ends : others).push(arrived);
    } else {
      count(sums, arrived);
      if (arrived.of === Members) members += 1;
      for (const one of arrived.rows)
        (one.pk.startsWith(duePrefix) ? timers : arrived.of === Workspaces ? workspace : others).push(one);
    }
    if (others.length >= maxRows) await own.put(others.splice(0));
  }
  await own.put(others);
  await own.put(sums.changes().map(({ key, add }) => ({ ...key, ...add })));
  for (const end of ends) await raise(end);
  await Promise.all(environments.map((name) => renewSecret(id, name)));
  for (const counter of ids) await raise(counter);
  await raise({ ...rowKey('memberCount', { workspace: id }), made: members });
  await own.put(workspace);
  while (timers.length > 0) await own.put(timers.splice(0, maxRows));
  await removeRows([markerOf(id)]);
  return counts;
}

/** Counts an item in, and a job that waits in its queue. */
function count(sums: Sums, { tenant, of, item }: Arrival): void {
  if (of.counters) sums.count(tenant, of, item, 1);
  const job = item as StoredJob;
  if (of !== Jobs || job.status !== 'queued') return;
  const { group, name, add } = queuedAs(job, 1);
  sums.add(counterKey(tenant, group, name, job.id % spreads), add);
}

/** An import that has begun and is nobody else's. */
class Begun {
  readonly #isOurs: Conditional;

  constructor(marker: Key, owner: string) {
    const refusal = () => conflict('workspace_in_use', 'another call of this import is running or has finished it');
    this.#isOurs = conditional({ key: marker, if: { is: { owner } }, refusal });
  }

  /**
   * Writes rows where the same call has not gone on elsewhere: else raises 409. One write may not name a row twice, as entries of two rows with one
   * id would.
   */
  async put(rows: readonly Row[]): Promise<void> {
    const writes = new Map(
      rows.map((row) => {
        const { pk, sk, ...item } = row;
        return [identity(row), conditional({ key: { pk, sk }, item })];
      }),
    );
    for (const round of rounds([...writes.values()], this.#isOurs)) {
      const token = randomUUID();
      await untilFirst(() => send(round, token));
    }
  }
}

/** Reads the whole file before anything is written. Raises 400 unless it is as it was exported, and for a row that this release cannot read. */
async function verify(id: number, file: string, isUnsigned: boolean) {
  if (isUnsigned && env('ALLOW_UNSIGNED_IMPORTS') !== 'true')
    throw badRequest(
      'broken_archive',
      'unsigned archives are refused in this stage: it does not set allowUnsignedImports',
    );
  const summed = new Digest();
  let from: number | undefined;
  let trailer: v.InferOutput<typeof Trailer> | undefined;
  let unfit: Error | undefined;
  for await (const [number, line] of linesOf(file)) {
    if (from === undefined) from = parsed(Header, line, number).workspaceId;
    else if (trailer) throw broken(number, 'there is more after the end');
    else if (isTrailer(line)) {
      trailer = parsed(Trailer, line, number);
      continue;
    } else unfit ??= unfitness(from, id, line, number);
    summed.add(line);
  }
  if (from === undefined || trailer === undefined)
    throw badRequest('broken_archive', 'the file is cut off: export it again');
  const { counts, digest, seal } = trailer;
  if (summed.end(trailer) !== digest)
    throw badRequest('broken_archive', 'the file was changed after its export: its digest does not match');
  if (!isUnsigned && !(seal && (await isSealOf(from, digest, seal)))) throw badRequest('broken_archive', notOurs);
  if (unfit) throw unfit;
  return { from, digest, counts };
}

const notOurs =
  'the seal of the file is not of this deployment: import it where it was exported, or with "unsigned": true in a stage that sets allowUnsignedImports';

/** Returns why a line cannot be taken in: told once the file is known to be as it was exported. */
function unfitness(from: number, to: number, line: string, number: number): Error | undefined {
  try {
    restored(from, to, parsed(ArchivedRow, line, number));
    return undefined;
  } catch (error) {
    return error instanceof UnfitRow ? broken(number, error.message) : (error as Error);
  }
}

async function* rowsOf(file: string): AsyncGenerator<ArchivedRow> {
  for await (const [number, line] of linesOf(file))
    if (number > 1 && !isTrailer(line)) yield parsed(ArchivedRow, line, number);
}

/** Rows begin with their partition key. */
const isTrailer = (line: string) => line.startsWith('{"rows":');

/** More than a row of 400 KB has in JSON, each of its characters as six. */
const maxLineCharacters = 3_000_000;

/** Lines end at a line feed alone: readline ends them at U+2028 and U+2029 too, which JSON leaves in its texts as they are. */
async function* linesOf(file: string): AsyncGenerator<[number: number, line: string]> {
  let number = 0;
  let rest = '';
  for await (const chunk of createReadStream(file, 'utf8')) {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() as string;
    for (const line of lines) {
      number += 1;
      yield [number, line];
    }
    if (rest.length > maxLineCharacters) throw broken(number + 1, 'is longer than any row');
  }
  if (rest !== '') yield [number + 1, rest];
}

function parsed<S extends v.GenericSchema>(schema: S, line: string, number: number): v.InferOutput<S> {
  const { success, output, issues } = v.safeParse(
    v.pipe(v.string(), v.parseJson(undefined, 'is not JSON'), schema),
    line,
  );
  if (success) return output;
  throw broken(number, issues[0].message);
}

const broken = (number: number, what: string) => badRequest('broken_archive', `line ${number} of the file: ${what}`);

const markerOf = (id: number) => rowKey('import', { workspace: id });

/**
 * Takes the workspace for this import, unless it has data of its own or another import has begun; from whoever was at it with the same file,
 * who may yet wake up.
 */
async function begin(id: number, digest: string): Promise<Begun> {
  const marker = markerOf(id);
  const scopes = [String(id), ...environments.map((name) => tenantKey({ workspaceId: id, env: name }))];
  const found = await readRows([marker, ...scopes.map((scope) => rowKey('ids', { scope }))]);
  const hasBegun = found.delete(identity(marker));
  const isUsed = [...found.values()].some((row) => Object.keys(row).some((name) => !unused.includes(name)));
  if (!hasBegun && isUsed)
    throw conflict('workspace_in_use', `workspace ${id} already has data: import into a new one`);
  await requireLast(id);
  const owner = randomUUID();
  const begun = { key: marker, item: { digest, owner }, if: { any: [{ absent: ['pk'] }, { is: { digest } }] } };
  if ((await writeIf(begun)).item) return new Begun(marker, owner);
  throw conflict(
    'workspace_in_use',
    `the import of another file into workspace ${id} was interrupted: finish it first`,
  );
}

/** Counters of a workspace that is new, or that has only a key. */
const unused = ['pk', 'sk', Pipelines.name, 'key'];

/** No later workspace gets the same id. */
async function requireLast(id: number): Promise<void> {
  const key = rowKey('workspaceIds', {});
  await writeIf({ key, set: { last: id }, if: { any: [{ absent: ['last'] }, { below: { last: id } }] } });
}

/** The secret that the endpoints had is not in the file. */
const renewSecret = (workspaceId: number, name: (typeof environments)[number]) =>
  transact({ workspaceId, env: name }, operator, async (tx) => {
    if (await findRegistry(tx)) await rotate(tx, 0);
  });

/** Raises counters beside those that the workspace has already: never below what was given since. */
async function raise({ pk, sk, ...counters }: Row): Promise<void> {
  await Promise.all(
    Object.entries(counters).map(([name, value]) => {
      const isHigher = { any: [{ absent: [name] }, { below: { [name]: Number(value) } }] };
      return writeIf({ key: { pk, sk }, set: { [name]: value }, if: isHigher });
    }),
  );
}
