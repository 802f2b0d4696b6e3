import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import * as v from 'valibot';
import { entities } from '#lib/entities/all.ts';
import { Members } from '#lib/entities/member.ts';
import { Pipelines } from '#lib/entities/pipeline.ts';
import { badRequest, conflict } from '#lib/problem.ts';
import { type Conditional, conditional, rounds, send } from '#lib/table/change.ts';
import { duePrefix, storedName } from '#lib/table/entity.ts';
import { identity, type Key, rowKey } from '#lib/table/keys.ts';
import { startReindexing } from '#lib/table/reindex.ts';
import { markNew, unmark } from '#lib/table/release.ts';
import { untilFirst } from '#lib/table/retry.ts';
import { type Row, readRows, removeRows } from '#lib/table/rows.ts';
import { transact } from '#lib/table/transact.ts';
import { writeIf } from '#lib/table/update.ts';
import { environments, operator, tenantKey } from '#lib/tenant.ts';
import { findRegistry, rotate } from '#lib/webhooks/registry.ts';
import { ArchivedRow, Header, Highest, isDerived, Outdated, restored, Trailer, UnfitRow } from './archive.ts';
import { Counted } from './counted.ts';
import { Together } from './excess.ts';

/** Kept in memory before they are written together. */
const maxRows = 200;

/**
 * Fills a workspace from a file of `exportWorkspace`: a new one of this id, or one in which nothing has been done yet. Its accounts
 * are disconnected, its webhooks and revenue sources inactive, and its webhooks sign with a new secret; what else is due goes on. When it
 * is interrupted the same call finishes it. Returns what the file holds. Raises 400 for a file that is not whole, 409 for a workspace
 * that has data. Needs the key.
 */
export async function importWorkspace(id: number, file: string): Promise<Record<string, number>> {
  const { from, digest, counts, outdated, together } = await inspect(id, file);
  const own = await begin(id, digest);
  await unmark(id);
  // Those by which a workspace is known to be there, and those that start work, come when everything else is in place.
  const highest = new Highest();
  const counted = new Counted();
  const timers: Row[] = [];
  const workspace: Row[] = [];
  const others: Row[] = [];
  for await (const given of rowsOf(file)) {
    for (const row of restored(from, id, together.rectified(given))) {
      highest.add(row);
      counted.add(id, row);
      if (row.pk.startsWith(duePrefix)) timers.push(row);
      else if (Highest.holds(row)) continue;
      else if (row.pk === `${id}#workspace`) workspace.push(row);
      else others.push(row);
    }
    if (others.length >= maxRows) await own.put(others.splice(0));
  }
  await own.put(others);
  await own.put(counted.rows());
  const [ids, ends] = highest.rows();
  for (const end of ends) await raise(end);
  await Promise.all(environments.map((name) => renewSecret(id, name)));
  for (const counter of ids) await raise(counter);
  await raise({ ...rowKey('memberCount', { workspace: id }), made: together.shared(Members) });
  await own.put(workspace);
  while (timers.length > 0) await own.put(timers.splice(0, maxRows));
  await markNew(id, entities, outdated);
  await removeRows([markerOf(id)]);
  for (const name of environments)
    await transact({ workspaceId: id, env: name }, operator, (tx) => startReindexing(tx, entities));
  return counts;
}

/** An import that has begun and is nobody else's. */
class Begun {
  readonly #isOurs: Conditional;

  constructor(marker: Key, owner: string) {
    const refusal = () =>
      conflict('workspace_in_use', 'the import goes on, or has come to its end, elsewhere: it was called again');
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

/** Reads the whole file before anything is written, and makes every row of it as it will be written. */
async function inspect(id: number, file: string) {
  const hash = createHash('sha256');
  let from: number | undefined;
  let rows = 0;
  const seen = new Set<string>();
  const together = new Together();
  const highest = new Highest();
  const outdated = new Outdated();
  let trailer: v.InferOutput<typeof Trailer> | undefined;
  for await (const [number, value, line] of linesOf(file)) {
    hash.update(line);
    if (from === undefined) from = parsed(Header, value, number).workspaceId;
    else if (trailer) throw broken(number, 'there is more after the end');
    else if (isTrailer(value)) trailer = parsed(Trailer, value, number);
    else {
      const row = parsed(ArchivedRow, value, number);
      const restored = restorable(from, id, row, number);
      for (const one of restored) highest.add(one);
      if (restored.length > 0) outdated.add(row, number);
      const reason = together.add(row, number);
      if (reason) throw broken(number, reason);
      for (const key of [row, ...restored.filter(isDerived)]) {
        const digest = createHash('sha256').update(identity(key)).digest('base64url');
        if (seen.has(digest)) throw broken(number, 'was there before');
        seen.add(digest);
      }
      rows += 1;
    }
  }
  const lack = together.lack() ?? outdated.lack(highest, rows);
  if (lack) throw broken(lack.line, lack.reason);
  if (from === undefined || trailer?.rows !== rows)
    throw badRequest('broken_archive', 'the file is not whole: it was cut off');
  return {
    from,
    digest: hash.digest('hex'),
    counts: trailer.counts,
    together,
    outdated: outdated.entities,
  };
}

function restorable(from: number, to: number, row: ArchivedRow, number: number): Row[] {
  try {
    return restored(from, to, row);
  } catch (error) {
    if (!(error instanceof UnfitRow)) throw error;
    throw broken(number, error.message);
  }
}

async function* rowsOf(file: string): AsyncGenerator<ArchivedRow> {
  for await (const [number, value] of linesOf(file))
    if (number > 1 && !isTrailer(value)) yield parsed(ArchivedRow, value, number);
}

const isTrailer = (value: unknown) =>
  typeof value === 'object' && value !== null && 'counts' in value && !('pk' in value);

/** More than a row of 400 KB has in JSON, each of its characters as six. What is longer is not read to its end. */
const maxLineCharacters = 3_000_000;

/** Lines end at a line feed alone: readline ends them at U+2028 and U+2029 too, which JSON leaves in its texts as they are. */
async function* textLines(file: string): AsyncGenerator<string> {
  let last = '';
  for await (const chunk of createReadStream(file, 'utf8')) {
    const lines = `${last}${chunk}`.split('\n');
    last = lines.pop() as string;
    yield* lines;
    if (last.length > maxLineCharacters) break;
  }
  if (last !== '') yield last;
}

async function* linesOf(file: string): AsyncGenerator<[number: number, value: unknown, line: string]> {
  let number = 0;
  for await (const line of textLines(file)) {
    number += 1;
    if (line.length > maxLineCharacters) throw broken(number, 'is longer than any row');
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      throw broken(number, 'is not JSON');
    }
    yield [number, value, line];
  }
}

function parsed<S extends v.GenericSchema>(schema: S, value: unknown, number: number): v.InferOutput<S> {
  const { success, output, issues } = v.safeParse(schema, value);
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
  if (!hasBegun && isUsed) throw conflict('workspace_in_use', `workspace ${id} has data of its own`);
  await requireLast(id);
  const owner = randomUUID();
  const begun = { key: marker, item: { digest, owner }, if: { any: [{ absent: ['pk'] }, { is: { digest } }] } };
  if ((await writeIf(begun)).item) return new Begun(marker, owner);
  throw conflict(
    'workspace_in_use',
    `the import of another file into workspace ${id} was interrupted: finish it first`,
  );
}

/** What the counters hold of a new workspace, or of one to whom a key was given. */
const unused = ['pk', 'sk', storedName(Pipelines), 'key'];

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
