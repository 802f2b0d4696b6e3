import { isPassing } from '#lib/aws/aws.ts';
import { secondMs } from '#lib/core/clock.ts';
import { log } from '#lib/core/log.ts';
import { Problem } from '#lib/core/problem.ts';
import type { Tenant } from '#lib/core/tenant.ts';
import { firstCharacters } from '#lib/core/text.ts';
import { type ImportRow, ImportRows, type StoredImport } from '#lib/entities/import.ts';
import { WriteConflict } from '#lib/table/change.ts';
import { isPermanent } from '#lib/table/dead-letter.ts';
import type { IdPool } from '#lib/table/ids.ts';
import { transact, within } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { SharedIds, UnusedIds } from './ids.ts';
import { type Reader, textOf } from './mapping.ts';
import { importedObjects } from './objects/all.ts';
import type { Outcome, RowInput, Rules } from './objects/object.ts';
import type { Options } from './options.ts';
import type { SourceRow } from './rows.ts';

type Ending = Outcome['outcome'] | 'failed';

/** A row with what it sets, unless it is broken, and the records that it touches as far as its text says. */
export interface GivenRow {
  row: SourceRow;
  input: RowInput | undefined;
  /** By what it is matched: no other row that shares one is in its transaction. */
  matches: readonly string[];
  /** Names of other records in it. */
  names: readonly string[];
}
type ReadyRow = GivenRow & { input: RowInput };

/** How long rows that are taken in together give way to others, before they are taken in one by one. */
const togetherMs = secondMs;

/** Takes in rows of an import: each in the transaction that also says what became of it. */
export class Taker {
  readonly #tenant: Tenant;
  readonly #import: StoredImport;
  readonly #reader: Reader;
  readonly #options: Options;
  readonly #ids: IdPool;
  readonly #rules: Rules;
  /** Records that a dry run would have created, by what they are matched on. */
  readonly #imagined = new Set<string>();

  constructor(tenant: Tenant, of: StoredImport, reader: Reader, options: Options) {
    this.#tenant = tenant;
    this.#import = of;
    this.#reader = reader;
    this.#options = options;
    this.#ids = of.dryRun ? new UnusedIds(tenant) : new SharedIds(tenant);
    this.#rules = {
      matchOn: of.matchOn,
      onConflict: of.onConflict,
      makesTags: of.createMissing.includes('tags'),
      makesCompanies: of.createMissing.includes('companies'),
    };
  }

  /** Returns a row with what it sets and touches. One that cannot be read is broken, and says why. */
  given(row: SourceRow): GivenRow {
    const broken = { input: undefined, matches: [], names: [] };
    if (row.error !== null) return { row, ...broken };
    try {
      const input = this.#reader.read(row);
      return { row, input, ...touchedBy(this.#import.matchOn, input) };
    } catch (error) {
      return { row: { ...row, error: reasonOf(error) }, ...broken };
    }
  }

  /** Remembers a row that an earlier run of a dry run has looked at. */
  imagine(input: RowInput | undefined): void {
    const key = input && this.#matchKey(input);
    if (key !== undefined && this.#import.dryRun) this.#imagined.add(key);
  }

  /**
   * Does what rows say that touch nothing together: as many as fit in one transaction, and alone each that is at fault. `spread` is
   * where no rows beside them count. Throws what is no fault of a row.
   */
  async takeAll(
    rows: readonly GivenRow[],
    spread: number,
    ended: (given: GivenRow, ending: Ending) => void,
  ): Promise<void> {
    for (let at = 0; at < rows.length; ) {
      const left = rows.slice(at);
      const endings = await this.#together(await this.#ready(left), spread);
      const [first] = left as [GivenRow];
      if (endings.length === 0) endings.push(await this.#take(first, left.length > 1));
      for (const [index, ending] of endings.entries()) ended(left[index] as GivenRow, ending);
      at += endings.length;
    }
  }

  /** Returns the rows up to the first that is broken, or whose options cannot be made. */
  async #ready(rows: readonly GivenRow[]): Promise<ReadyRow[]> {
    const ready: ReadyRow[] = [];
    for (const { row, input, ...touched } of rows) {
      if (input === undefined || this.#import.dryRun) return ready;
      try {
        if (this.#makesOptions) await this.#options.make(input);
      } catch (error) {
        if (!isOfRows(error)) throw error;
        return ready;
      }
      ready.push({ row, input, ...touched });
    }
    return ready;
  }

  /** Does what the first rows say in one transaction, and returns what became of them; nothing where the first one must go alone. */
  async #together(rows: readonly ReadyRow[], spread: number): Promise<Ending[]> {
    if (rows.length < 2) return [];
    let tries = 0;
    let begun = 0;
    let isCommitting = false;
    const work = async (tx: UnitOfWork) => {
      tries += 1;
      begun = 0;
      isCommitting = false;
      tx.spread = spread;
      const endings: Ending[] = [];
      for (const { row, input } of rows) {
        if (!tx.hasRoomAhead) break;
        begun += 1;
        endings.push(await this.#do(tx, row.place, input, tries > 1));
      }
      isCommitting = true;
      return endings;
    };
    try {
      return await transact(this.#tenant, this.#import.actor, work, { ids: this.#ids, mayGoOn: within(togetherMs) });
    } catch (error) {
      if (!isOfRows(error)) throw error;
      return this.#together(rows.slice(0, isCommitting ? begun >> 1 : begun - 1), spread);
    }
  }

  get #makesOptions(): boolean {
    return this.#import.createMissing.includes('options');
  }

  /** Does what a row says, once. Returns what became of it. Throws what is no fault of the row. */
  async #take({ row, input }: GivenRow, mayBeDone: boolean): Promise<Ending> {
    try {
      if (input === undefined) return await this.#fail(row.place, String(row.error));
      if (this.#import.dryRun) return await this.#try(this.#makesOptions ? this.#options.without(input) : input);
      if (this.#makesOptions) await this.#options.make(input);
      let tries = 0;
      const work = (tx: UnitOfWork) => {
        tries += 1;
        return this.#do(tx, row.place, input, mayBeDone || tries > 1);
      };
      return await transact(this.#tenant, this.#import.actor, work, { ids: this.#ids });
    } catch (error) {
      return this.#fail(row.place, reasonOf(error));
    }
  }

  async #do(tx: UnitOfWork, place: number, input: RowInput, mayBeDone: boolean): Promise<Ending> {
    const key = { importId: this.#import.id, row: place };
    // Somebody else may have been faster, or an answer of the table was lost.
    const done = mayBeDone ? await tx.find(ImportRows, key) : undefined;
    if (done) return done.outcome;
    const taken = await this.#run(tx, input);
    const isChanged = taken.changes === undefined || Object.keys(taken.changes).length > 0;
    if (taken.outcome !== 'skipped' && isChanged) tx.create(ImportRows, rowOf(key, taken, tx.now));
    return taken.outcome;
  }

  /** Does as if, and writes nothing. */
  async #try(input: RowInput): Promise<Ending> {
    const tx = new UnitOfWork(this.#tenant, this.#import.actor, this.#ids);
    const key = this.#matchKey(input);
    try {
      const { outcome } = await this.#run(tx, input);
      if (outcome !== 'created' || key === undefined) return outcome;
      if (!this.#imagined.has(key)) return outcome;
      const { onConflict } = this.#rules;
      if (onConflict === 'fail')
        throw new Problem(
          'conflict',
          `an earlier row has this ${this.#rules.matchOn}: onConflict says that this fails`,
        );
      return onConflict === 'skip' ? 'skipped' : 'updated';
    } finally {
      await tx.abandon();
      this.imagine(input);
    }
  }

  #run(tx: UnitOfWork, input: RowInput): Promise<Outcome> {
    tx.refusesArchived = true;
    tx.isSilent = this.#import.isSilent;
    return importedObjects[this.#import.object].take(tx, input, this.#rules);
  }

  async #fail(place: number, error: string): Promise<Ending> {
    const key = { importId: this.#import.id, row: place };
    return transact(this.#tenant, this.#import.actor, async (tx) => {
      const done = await tx.find(ImportRows, key);
      if (done) return done.outcome;
      tx.create(ImportRows, {
        ...key,
        outcome: 'failed',
        error: firstCharacters(error, maxErrorCharacters),
        at: tx.now,
      });
      return 'failed';
    });
  }

  #matchKey(input: RowInput): string | undefined {
    const [key] = keysOf(this.#rules.matchOn, input);
    return key;
  }
}

const maxErrorCharacters = 1000;

const rowOf = (
  key: Pick<ImportRow, 'importId' | 'row'>,
  { outcome, recordId, of, noteId, changes }: Outcome,
  at: string,
): ImportRow => ({
  ...key,
  outcome: outcome === 'updated' ? 'updated' : 'created',
  recordId,
  ...(of && { of }),
  ...(noteId !== undefined && { noteId }),
  ...(changes && { changes: JSON.stringify(changes) }),
  at,
});

/** Whether work has failed for what its rows say, or for others who were faster: then it has written nothing. */
const isOfRows = (error: unknown): boolean =>
  error instanceof Problem ? error.status !== 503 || error.cause instanceof WriteConflict : isPermanent(error);

/** Returns why a row failed. Throws again what may pass, which is no fault of the row. */
function reasonOf(error: unknown): string {
  if (error instanceof Problem && error.status !== 503) {
    const { fields } = error.details ?? {};
    return fields === undefined ? error.message : fields.map(({ message }) => message).join('; ');
  }
  if (isPassing(error) || error instanceof Problem || !isPermanent(error)) throw error;
  log().error('a row of an import cannot be taken in', error as Error);
  return 'the row cannot be stored, perhaps because it is too large: make it smaller';
}

const folded = (value: unknown) => textOf(value).normalize('NFC').trim().toLowerCase();

/** Returns what a row is matched by: rows that share one of these are taken in one after the other, in their order. */
function keysOf(matchOn: string | null, input: RowInput): string[] {
  if (matchOn === null) return [];
  const [group, key] = /^(fields|metadata)\.(.*)$/.exec(matchOn)?.slice(1) ?? [];
  const values =
    group === undefined ? input[matchOn] : (input[group] as Record<string, unknown> | undefined)?.[key ?? ''];
  const given = matchOn === 'domain' ? [input['domain'], input['domains']].flat() : [values];
  const digits = (text: string) => (matchOn === 'phone' ? text.replaceAll(/\D/g, '') : text);
  return given.flatMap((value) => (value === undefined ? [] : [`match ${digits(folded(value).replace(/^@/, ''))}`]));
}

/** Targets whose values name records that a row changes, too. */
const shared = ['company', 'companies', 'companyId', 'contact', 'contactId', 'deal', 'dealId', 'tags'];

/** Returns all records that a row touches, as far as its text says. */
const touchedBy = (matchOn: string | null, input: RowInput): Pick<GivenRow, 'matches' | 'names'> => ({
  matches: keysOf(matchOn, input),
  names: shared.flatMap((name) =>
    [input[name] ?? []].flat().map((value) => `${name.replace(/ies$|s$|Id$/, '')} ${folded(value)}`),
  ),
});
