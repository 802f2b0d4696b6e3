import * as v from 'valibot';
import type { Caller } from '#lib/core/caller.ts';
import { fieldObjectOf } from '#lib/core/choices.ts';
import { phoneDigits, phoneSpellings, wholePhone } from '#lib/core/phone.ts';
import { id, openChoice, queryChoices, queryText } from '#lib/core/schema.ts';
import type { Scope } from '#lib/core/scopes.ts';
import { foldCase, holdsWords, wordsOf } from '#lib/core/text.ts';
import type { StoredCompany } from '#lib/entities/company.ts';
import type { StoredContact } from '#lib/entities/contact.ts';
import type { StoredDeal } from '#lib/entities/deal.ts';
import type { StoredThread } from '#lib/entities/email-thread.ts';
import type { StoredTask } from '#lib/entities/task.ts';
import { keyOf } from '#lib/table/entity.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { CopiedRow } from './copied-row.ts';
import { type CopiedRecords, copiedRecords, searchedText } from './nouns.ts';
import { rangesIn } from './ranges.ts';
import { eachRecord, withoutBrokenCopy } from './records.ts';
import { isArchived } from './rows.ts';

type Named = readonly [field: string, text: string | null | undefined];

/** A kind of record in the search over everything. */
interface Searched<Row = never> {
  of: CopiedRecords;
  scope: Scope;
  /** Returns the texts that are searched; the first one that is there is the title. */
  texts(row: Row): readonly Named[];
  /** Columns that these texts are made of, where the text of `q` holds more. */
  ownText?: readonly string[];
  subtitle(row: Row): string | null;
  /** Columns of the times at one of which somebody last had to do with it. */
  times: readonly string[];
}

const changed = ['createdAt', 'updatedAt'];

const contact: Searched<StoredContact> = {
  of: copiedRecords('contact'),
  scope: 'contacts:read',
  texts: ({ name, username, email, phone, company }) => [
    ['name', name],
    ['username', username],
    ['email', email],
    ['phone', phone],
    ['company', company],
  ],
  subtitle: ({ company, email, phone }) => company ?? email ?? phone,
  times: [...changed, 'lastMessageAt'],
};

const company: Searched<StoredCompany> = {
  of: copiedRecords('company'),
  scope: 'companies:read',
  texts: ({ name, domains, phone }) => [
    ['name', name],
    ...domains.map((one): Named => ['domains', one]),
    ['phone', phone],
  ],
  subtitle: ({ domains }) => domains[0] ?? null,
  times: changed,
};

const deal: Searched<StoredDeal> = {
  of: copiedRecords('deal'),
  scope: 'deals:read',
  texts: ({ title }) => [['title', title]],
  subtitle: ({ contactName }) => contactName,
  times: changed,
};

const task: Searched<StoredTask> = {
  of: copiedRecords('task'),
  scope: 'tasks:read',
  texts: ({ title }) => [['title', title]],
  subtitle: () => null,
  times: changed,
};

const thread: Searched<StoredThread> = {
  of: copiedRecords('email-thread'),
  scope: 'email:read',
  texts: ({ subject, participants }) => [
    ['subject', subject],
    ...participants.flatMap(({ name, email }): Named[] => [
      ['participants', name],
      ['participants', email],
    ]),
  ],
  ownText: ['subject', 'participants', 'status'],
  subtitle: ({ participants: [first] }) => first?.name ?? first?.email ?? null,
  times: ['lastMessageAt'],
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
/** Candidates that are kept before all but the best are dropped. */
const maxKept = 200;

interface Row {
  id: number;
  /** Status of a thread. */
  status?: string;
  archive?: unknown;
}

type Words = readonly (readonly string[])[];

/** Words of `q`, and all of it as texts and as phone numbers are compared. */
interface Wanted {
  words: Words;
  wholes: readonly string[];
}

/** A record that holds the words, and how well. */
interface Candidate {
  type: Type;
  id: number;
  rank: number;
  /** Milliseconds since 1970. */
  activeAt: number;
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
  const wholes = [foldCase(q.trim()), wholePhone(q) ?? ''].filter((one) => one !== '');
  const found = await Promise.all(asked.filter(isAllowed).map((type) => candidatesOf(tx, type, { words, wholes })));
  const best = found.flat().sort(byRank).slice(0, maxHits);
  const hits = await Promise.all(asked.map((type) => hitsOf(tx, type, words, best)));
  const byRecord = new Map(hits.flat().map((hit) => [`${hit.type} ${hit.id}`, hit]));
  const items = best.flatMap(({ type, id: of }) => byRecord.get(`${singular[type]} ${of}`) ?? []);
  return { items, leftOut: asked.filter((type) => !isAllowed(type)) };
}

const byRank = (a: Candidate, b: Candidate) => a.rank - b.rank || b.activeAt - a.activeAt || b.id - a.id;

/** Returns the best of a type, unsorted, and perhaps some more. */
async function candidatesOf(tx: UnitOfWork, type: Type, { words, wholes }: Wanted): Promise<Candidate[]> {
  const { of, times, ownText = [] } = searched[type] as Searched<Row>;
  const columns = { used: new Set<never>(), others: [...times, ...ownText], hasText: true, isByIdAlone: false };
  return withoutBrokenCopy(async (isWithoutCopy) => {
    let found: Candidate[] = [];
    let worstRank = Number.POSITIVE_INFINITY;
    await eachRecord(tx, of, { ...columns, isWithoutCopy }, (row: Row) => {
      const text = textOf(type, row, words);
      if (text === undefined) return true;
      const rank = rankOf(text, words, wholes);
      if (rank > worstRank) return true;
      found.push({ type, id: row.id, rank, activeAt: lastOf(row, times) });
      if (found.length > maxKept) {
        found = found.sort(byRank).slice(0, maxHits);
        worstRank = found.at(-1)?.rank ?? worstRank;
      }
      return true;
    });
    return found;
  });
}

const folded = (texts: readonly Named[]) => foldCase(texts.flatMap(([, text]) => text || []).join('\n'));

/** Returns the folded texts of a record, a line each; undefined where they do not hold the words, or it is archived or spam. */
function textOf(type: Type, row: Row, words: Words): string | undefined {
  const { of, texts, ownText } = searched[type] as Searched<Row>;
  if (isArchived(row)) return undefined;
  let made = row;
  if (row instanceof CopiedRow) {
    const { searchText } = row;
    if (!holdsWords(searchText, words)) return undefined;
    if (ownText === undefined) return searchText;
    made = row.part(ownText) as unknown as Row;
  }
  if (made.status === 'spam') return undefined;
  const text = ownText ? folded(texts(made)) : searchedText(of, made as never);
  return holdsWords(text, words) ? text : undefined;
}

/** Returns the last of some times of a record, in milliseconds since 1970. */
const lastOf = (row: Row, times: readonly string[]): number =>
  Math.max(
    ...times.map((name) => {
      const time = row instanceof CopiedRow ? row.raw(name) : row[name as keyof Row];
      return typeof time === 'string' ? Date.parse(time) : ((time as number | null | undefined) ?? 0);
    }),
  );

const isLineEnd = (text: string, at: number) => at === text.length || text[at] === '\n';
const isInWord = /[\p{L}\p{N}]/u;

/** Returns 0 where a line is what is wanted, 1 where one begins with it, 2 where each word begins a word, and 3 otherwise. */
function rankOf(text: string, words: Words, wholes: readonly string[]): number {
  let rank = 3;
  for (const whole of wholes)
    for (let at = text.indexOf(whole); at !== -1; at = text.indexOf(whole, at + 1)) {
      if (at > 0 && text[at - 1] !== '\n') continue;
      if (isLineEnd(text, at + whole.length)) return 0;
      rank = 1;
    }
  return rank === 3 && words.every((spellings) => spellings.some((one) => beginsWord(text, one))) ? 2 : rank;
}

function beginsWord(text: string, part: string): boolean {
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1))
    if (at === 0 || !isInWord.test(text[at - 1] as string)) return true;
  return false;
}

/** Reads those that are of a type, and shows where the words are. One that has changed meanwhile may be left out. */
async function hitsOf(tx: UnitOfWork, type: Type, words: Words, best: readonly Candidate[]): Promise<Hit[]> {
  const { of, texts, subtitle } = searched[type] as Searched<Row>;
  const places = best.filter((candidate) => candidate.type === type).map(({ id: place }) => ({ id: place }));
  const keys = places.map((place) => keyOf(tx.tenant, of.of, place as never));
  const rows = await tx.findAllByKey(of.of, keys, (row) => textOf(type, row as never, words) !== undefined, true);
  return (rows as unknown as Row[]).map((row) => {
    const named = texts(row).filter((one): one is [string, string] => Boolean(one[1]));
    const matched = named
      .flatMap(([field, text]) => {
        const isPhone = field === 'phone';
        const ranges = united(rangesIn(text, words, { isPhone }));
        // A number without its trunk zero in brackets holds what its digits in a row do not.
        if (isPhone && ranges.length === 0 && holdsWords(phoneDigits(text), words)) ranges.push([0, text.length]);
        return ranges.length === 0 ? [] : [{ field, text, ranges }];
      })
      .slice(0, maxMatched);
    const title = named[0]?.[1] ?? `#${row.id}`;
    return { type: singular[type], id: row.id, title, subtitle: subtitle(row), matched };
  });
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
