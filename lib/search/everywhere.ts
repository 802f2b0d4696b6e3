import * as v from 'valibot';
import type { Caller } from '#lib/core/caller.ts';
import { fieldObjectOf } from '#lib/core/choices.ts';
import { latest } from '#lib/core/clock.ts';
import { phoneDigits, phoneSpellings, wholePhone } from '#lib/core/phone.ts';
import { id, openChoice, queryChoices, queryText } from '#lib/core/schema.ts';
import type { Scope } from '#lib/core/scopes.ts';
import { asciiDigitsIn, foldCase, holdsWords, wordsOf } from '#lib/core/text.ts';
import type { StoredCompany } from '#lib/entities/company.ts';
import type { StoredContact } from '#lib/entities/contact.ts';
import type { StoredDeal } from '#lib/entities/deal.ts';
import type { StoredThread } from '#lib/entities/email-thread.ts';
import type { StoredTask } from '#lib/entities/task.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { CopiedRow } from './copied-row.ts';
import { type CopiedRecords, copiedRecords } from './nouns.ts';
import { rangesIn } from './ranges.ts';
import { type Columns, eachRecord, withoutBrokenCopy } from './records.ts';
import { isArchived } from './rows.ts';

type Named = readonly [field: string, text: string | null | undefined];

/** A kind of record in the search over everything. */
interface Searched<Row = never> {
  of: CopiedRecords;
  /** Columns of its copy that are asked for here. */
  columns: readonly string[];
  scope: Scope;
  /** Returns the texts that are searched; the first one that is there is the title. */
  texts(row: Row): readonly Named[];
  subtitle(row: Row): string | null;
  /** Returns when somebody last had to do with it. */
  activeAt(row: Row): string;
}

const changedAt = ({ updatedAt, createdAt }: { updatedAt: string | null; createdAt: string }) => updatedAt ?? createdAt;

const always = ['id', 'createdAt', 'updatedAt'];

const contact: Searched<StoredContact> = {
  of: copiedRecords('contact'),
  columns: [...always, 'name', 'username', 'email', 'phone', 'company', 'lastMessageAt'],
  scope: 'contacts:read',
  texts: ({ name, username, email, phone, company }) => [
    ['name', name],
    ['username', username],
    ['email', email],
    ['phone', phone],
    ['company', company],
  ],
  subtitle: ({ company, email, phone }) => company ?? email ?? phone,
  activeAt: (row) => latest(row.lastMessageAt, changedAt(row)) as string,
};

const company: Searched<StoredCompany> = {
  of: copiedRecords('company'),
  columns: [...always, 'name', 'domains', 'phone'],
  scope: 'companies:read',
  texts: ({ name, domains, phone }) => [
    ['name', name],
    ...domains.map((one): Named => ['domains', one]),
    ['phone', phone],
  ],
  subtitle: ({ domains }) => domains[0] ?? null,
  activeAt: changedAt,
};

const deal: Searched<StoredDeal> = {
  of: copiedRecords('deal'),
  columns: [...always, 'title', 'contactName'],
  scope: 'deals:read',
  texts: ({ title }) => [['title', title]],
  subtitle: ({ contactName }) => contactName,
  activeAt: changedAt,
};

const task: Searched<StoredTask> = {
  of: copiedRecords('task'),
  columns: [...always, 'title'],
  scope: 'tasks:read',
  texts: ({ title }) => [['title', title]],
  subtitle: () => null,
  activeAt: changedAt,
};

const thread: Searched<StoredThread> = {
  of: copiedRecords('email-thread'),
  columns: ['id', 'subject', 'participants', 'status', 'lastMessageAt'],
  scope: 'email:read',
  texts: ({ subject, participants }) => [
    ['subject', subject],
    ...participants.flatMap(({ name, email }): Named[] => [
      ['participants', name],
      ['participants', email],
    ]),
  ],
  subtitle: ({ participants: [first] }) => first?.name ?? first?.email ?? null,
  activeAt: ({ lastMessageAt }) => lastMessageAt,
};

const searched = { contacts: contact, companies: company, deals: deal, tasks: task, threads: thread };
type Type = keyof typeof searched;
const types = Object.keys(searched) as Type[];
const singular = { ...fieldObjectOf, threads: 'thread' } as const;

/** The scopes, one of which a caller needs. */
export const everyScope: readonly Scope[] = Object.values(searched).map(({ scope }) => scope);

export const EverywhereQuery = v.object({
  q: v.pipe(queryText(), v.examples(['ada'])),
  types: v.optional(queryChoices(types)),
});

export const Hit = v.pipe(
  v.object({
    type: openChoice(Object.values(singular)),
    id: id(),
    title: v.string(),
    subtitle: v.nullable(v.string()),
    matched: v.array(
      v.pipe(
        v.object({
          field: v.string(),
          text: v.string(),
          ranges: v.pipe(v.array(v.array(v.pipe(v.number(), v.integer()))), v.examples([[[0, 4]]])),
        }),
        v.title('SearchMatch'),
      ),
    ),
  }),
  v.title('SearchHit'),
);
type Hit = v.InferOutput<typeof Hit>;
export const Hits = v.pipe(v.object({ items: v.array(Hit) }), v.title('SearchHits'));

const maxHits = 50;
/** Texts of a hit that are shown: a stranger's mail may name a hundred people. */
const maxMatched = 5;
/** Hits that are kept before all but the best are dropped. */
const maxKept = 200;

interface Row {
  id: number;
  /** Status of a thread. */
  status?: string;
  archive?: unknown;
}

/** Everything that is searched for, as texts and as phone numbers are compared. */
interface Whole {
  text: string;
  phone: string | undefined;
}

interface Ranked {
  hit: Hit;
  rank: number;
  activeAt: string;
}

/**
 * Returns the best 50 of what holds every word of `q`: exact first, then prefixes, then beginnings of words, then other parts, and of
 * those the last active (revision 1.4, section 33). `leftOut` has the types that the caller may not read. Raises 503 after 20 seconds.
 */
export async function searchEverywhere(
  tx: UnitOfWork,
  { scopes }: Caller,
  { q, types: asked = types }: v.InferOutput<typeof EverywhereQuery>,
): Promise<{ items: Hit[]; leftOut: Type[] }> {
  const isAllowed = (type: Type) => scopes.includes(searched[type].scope);
  const words = [...new Map(wordsOf(q, phoneSpellings).map((word) => [word.join(), word])).values()];
  const whole = { text: foldCase(q.trim()), phone: wholePhone(q) };
  const lists = await Promise.all(asked.filter(isAllowed).map((type) => hitsOf(tx, type, whole, words)));
  const items = lists
    .flat()
    .sort(byRank)
    .slice(0, maxHits)
    .map(({ hit }) => hit);
  return { items, leftOut: asked.filter((type) => !isAllowed(type)) };
}

const byRank = (a: Ranked, b: Ranked) =>
  a.rank - b.rank || (a.activeAt === b.activeAt ? b.hit.id - a.hit.id : a.activeAt < b.activeAt ? 1 : -1);

function hitsOf(tx: UnitOfWork, type: Type, whole: Whole, words: readonly string[][]): Promise<Ranked[]> {
  const { columns: others } = searched[type] as Searched<Row>;
  const columns = { used: new Set<never>(), others, hasText: true, isByIdAlone: false };
  return withoutBrokenCopy((isWithoutCopy) => rankedOf(tx, type, whole, words, { ...columns, isWithoutCopy }));
}

/** Returns a row of the table as far as it is asked for here; undefined for one of a copy that does not hold the words. */
function rowOf(row: Row, words: readonly string[][], columns: readonly string[]): Row | undefined {
  if (!(row instanceof CopiedRow)) return row;
  if (isArchived(row) || !holdsWords(row.searchText, words)) return undefined;
  return row.part(columns) as unknown as Row;
}

async function rankedOf(
  tx: UnitOfWork,
  type: Type,
  whole: Whole,
  words: readonly string[][],
  columns: Columns,
): Promise<Ranked[]> {
  const { of, texts, subtitle, activeAt } = searched[type] as Searched<Row>;
  let found: Ranked[] = [];
  const look = (seen: Row) => {
    const row = rowOf(seen, words, columns.others ?? []);
    if (row === undefined) return;
    const named = texts(row).filter((one): one is [string, string] => Boolean(one[1]));
    const folded = named.map(([field, text]) => (field === 'phone' ? asciiDigitsIn(text) : foldCase(text)));
    if (isArchived(row) || row.status === 'spam' || !holdsWords(folded.join('\n'), words)) return;
    const ranges = named.map(([field, text]) => rangesIn(text, words, { isPhone: field === 'phone' }));
    const begun = new Set(ranges.flat().flatMap(({ word, beginsWord }) => (beginsWord ? [word] : [])));
    const isPart = begun.size < words.length ? 3 : 2;
    const sides = named.map(([field, text], index) =>
      field === 'phone' ? [phoneDigits(text), whole.phone] : [folded[index], whole.text],
    );
    const isExact = sides.some(([text, query]) => text === query);
    const begins = sides.some(([text, query]) => query !== undefined && text?.startsWith(query));
    const rank = isExact ? 0 : begins ? 1 : isPart;
    const matched = named
      .flatMap(([field, text], index) => {
        const inText = united(ranges[index] ?? []);
        return inText.length === 0 ? [] : [{ field, text, ranges: inText }];
      })
      .slice(0, maxMatched);
    const title = named[0]?.[1] ?? `#${row.id}`;
    found.push({
      hit: { type: singular[type], id: row.id, title, subtitle: subtitle(row), matched },
      rank,
      activeAt: activeAt(row),
    });
    if (found.length > maxKept) found = found.sort(byRank).slice(0, maxHits);
  };
  await eachRecord(tx, of, columns, (row: never) => {
    look(row);
    return true;
  });
  return found;
}

/** Returns the ranges in their order, those that touch or overlap as one. */
function united(ranges: readonly { start: number; end: number }[]): [number, number][] {
  const all: [number, number][] = [];
  for (const { start, end } of [...ranges].sort((a, b) => a.start - b.start)) {
    const last = all.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else all.push([start, end]);
  }
  return all;
}
