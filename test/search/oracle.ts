import { expect, vi } from 'vitest';
import { listContacts } from '#lib/contacts/list.ts';
import type { Caller } from '#lib/core/caller.ts';
import { timestamp } from '#lib/core/clock.ts';
import type { SearchBody } from '#lib/core/search-body.ts';
import { operator, type Tenant } from '#lib/core/tenant.ts';
import { Contacts, type StoredContact } from '#lib/entities/contact.ts';
import { Copies } from '#lib/entities/copy.ts';
import { Fields, type StoredField } from '#lib/entities/field.ts';
import { askRenewal } from '#lib/search/copy-store.ts';
import { renewCopy } from '#lib/search/renew-copy.ts';
import { search } from '#lib/search/search.ts';
import { listAll } from '#lib/table/list.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { dyingAfter } from '#test/crash.ts';
import type { TestWorkspace } from '#test/workspace.ts';
import { fill } from './filled.ts';

/** Returns a source of numbers from 0 to below 1, the same for the same seed. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Signs of texts, each with the form in which it is compared. */
const signs: readonly (readonly [string, string])[] = [
  ...[...'abcdeno 12._-'].map((sign) => [sign, sign] as const),
  ...[...'ABCE'].map((sign) => [sign, sign.toLowerCase()] as const),
  ...([
    ['é', 'e'],
    ['Ü', 'u'],
    ['ß', 'ss'],
    ['Ø', 'o'],
    ['Ａ', 'a'],
    ['Σ', 'σ'],
    ['ς', 'σ'],
    ['Й', 'й'],
  ] as const),
  ...([
    ['日', '日'],
    ['😀', '😀'],
    ['e\u0301', 'e'],
    ['’', "'"],
    ['æ', 'ae'],
  ] as const),
];

type Value = string | number | boolean | null | { amount: number; currency: string } | number[];
type Kind = 'text' | 'email' | 'phone' | 'number' | 'boolean' | 'choice' | 'time' | 'money' | 'list';

/** A field as this file knows it, without a word of lib/search. */
interface OracleField {
  name: string;
  kind: Kind;
  /** Returns what a row has of it. */
  of(row: StoredContact): Value | undefined;
  /** Returns a value as filters are given it, and the values that rows get. */
  any(): Value;
  /** Choices in their order, as filters name them. */
  choices?: readonly (string | number)[];
}

type Condition = { field: string; op: string; value?: unknown };
type Filter = Condition | { and: Filter[] } | { or: Filter[] } | { not: Filter };

/** What is looked for by `q`. */
const words = ['b', 'C', 'é', 'n日', 'ß', 'σ', 'x d', '@a'];
/** Pages of a list that are compared. */
const maxPages = 6;

type ListQuery = Partial<Omit<Parameters<typeof listContacts>[1], 'include'>>;

const equalities = ['eq', 'ne', 'in', 'notIn'];
const comparisons = ['gt', 'gte', 'lt', 'lte', 'between'];
const parts = ['contains', 'startsWith'];
const operatorsOf: Record<Kind, readonly string[]> = {
  text: [...equalities, ...parts],
  email: [...equalities, ...parts],
  phone: equalities,
  number: [...equalities, ...comparisons],
  boolean: equalities,
  choice: equalities,
  time: [...equalities, ...comparisons],
  money: [...equalities, ...comparisons],
  list: equalities,
};

const collator = new Intl.Collator('en');

/** Random contacts, filters, and orders, and what each search must find. */
export class Oracle {
  readonly #workspace: TestWorkspace;
  readonly #tenant: Tenant;
  readonly #next: () => number;
  readonly #folded = new Map<string, string>();
  #fields: OracleField[] = [];
  #rows = new Map<number, StoredContact>();
  renewals = 0;
  kills = 0;

  constructor(workspace: TestWorkspace, seed: number) {
    this.#workspace = workspace;
    this.#tenant = { workspaceId: workspace.id, env: 'live' };
    this.#next = random(seed);
  }

  #below(count: number): number {
    return Math.floor(this.#next() * count);
  }

  #one<T>(all: readonly T[]): T {
    return all[this.#below(all.length)] as T;
  }

  #maybe<T>(make: () => T): T | null {
    return this.#next() < 0.3 ? null : make();
  }

  #text(longest = 6): string {
    const drawn = Array.from({ length: 1 + this.#below(longest) }, () => this.#one(signs));
    const text = `x${drawn.map(([sign]) => sign).join('')}x`;
    this.#folded.set(text, `x${drawn.map(([, folded]) => folded).join('')}x`);
    return text;
  }

  #fold(text: string): string {
    return this.#folded.get(text) ?? text.toLowerCase();
  }

  #email = () => `p${this.#below(40)}@${this.#one(['a', 'b'])}.example`;
  #phone = () => `+4917${10_000_000 + this.#below(60)}`;
  #time = () => timestamp(new Date(Date.UTC(2026, this.#below(12), 1 + this.#below(28), this.#below(24))));

  /** Makes the fields and so many contacts. */
  async begin(count: number): Promise<void> {
    const { live, memberId } = this.#workspace;
    const options = ['Zeta', 'Alpha', 'Ｍid', 'alpha 2'];
    const types = [
      'text',
      'number',
      'money',
      'checkbox',
      'date',
      'datetime',
      'email',
      'phone',
      'select',
      'multi_select',
    ];
    for (const type of types) {
      const more = type.endsWith('select') ? { options: options.map((label) => ({ label })) } : {};
      await live.post('/v1/fields', { object: 'contact', slug: `f_${type}`, title: type, type, ...more }, 201);
    }
    const { id } = (await live.post('/v1/contacts', { name: 'Like', tags: ['red', 'blue'] }, 201)).body;
    const defined = await listAll(new UnitOfWork(this.#tenant, operator), Fields);
    const tags = (await live.get('/v1/tags')).body.items.map((tag: { id: number }) => tag.id);
    this.#fields = [...this.#ownFields(memberId, tags), ...defined.map((field) => this.#customField(field))];
    await fill(this.#tenant, Contacts, id, count, () => this.#values(defined, tags, memberId), { hasEntries: true });
    await this.#readRows();
  }

  #ownFields(memberId: number, tags: number[]): OracleField[] {
    const of = (name: keyof StoredContact) => (row: StoredContact) => row[name] as Value;
    const stages = ['new', 'contacted', 'engaged', 'qualified', 'customer', 'lost'];
    return [
      { name: 'id', kind: 'number', of: of('id'), any: () => 1 + this.#below(1200) },
      { name: 'name', kind: 'text', of: of('name'), any: () => this.#text(2) },
      { name: 'notes', kind: 'text', of: of('notes'), any: () => this.#text(2) },
      { name: 'email', kind: 'email', of: of('email'), any: this.#email },
      { name: 'phone', kind: 'phone', of: of('phone'), any: this.#phone },
      { name: 'stage', kind: 'choice', of: of('stage'), any: () => this.#one(stages), choices: stages },
      { name: 'leadScore', kind: 'number', of: of('leadScore'), any: () => this.#below(30) },
      { name: 'hasUnreadMessages', kind: 'boolean', of: of('hasUnreadMessages'), any: () => this.#next() < 0.5 },
      { name: 'createdAt', kind: 'time', of: of('createdAt'), any: this.#time },
      { name: 'lastMessageAt', kind: 'time', of: of('lastMessageAt'), any: this.#time },
      {
        name: 'assignedToUserId',
        kind: 'choice',
        of: of('assignedToUserId'),
        any: () => memberId,
        choices: [memberId],
      },
      { name: 'metadata.k', kind: 'text', of: ({ metadata }) => metadata['k'], any: () => this.#text(1) },
      { name: 'tags', kind: 'list', of: of('tagIds'), any: () => this.#one(tags) },
    ];
  }

  #customField({ id, slug, type, options }: StoredField): OracleField {
    const labels = options.map(({ label }) => label);
    const labelOf = (value: unknown) => options.find((option) => option.id === value)?.label;
    const kinds = {
      number: 'number',
      money: 'money',
      checkbox: 'boolean',
      select: 'choice',
      email: 'email',
      phone: 'phone',
    };
    const isTime = type === 'date' || type === 'datetime';
    const kind = type === 'multi_select' ? 'list' : isTime ? 'time' : (kinds[type as keyof typeof kinds] ?? 'text');
    return {
      name: `fields.${slug}`,
      kind: kind as Kind,
      of: ({ values = {} }) => {
        const value = values[id] as Value | undefined;
        if (type === 'select') return labelOf(value) ?? null;
        return type === 'multi_select' ? (((value ?? []) as number[]).map(labelOf) as never) : value;
      },
      any: () => this.#custom(type, labels),
      choices: labels,
    };
  }

  #custom(type: string, labels: readonly string[]): Value {
    if (type === 'number') return this.#below(50) / 4;
    if (type === 'money') return { amount: this.#below(20) / 2, currency: this.#one(['EUR', 'USD']) };
    if (type === 'checkbox') return this.#next() < 0.5;
    if (type === 'date') return this.#time().slice(0, 10);
    if (type === 'datetime') return this.#time();
    if (type === 'email') return this.#email();
    if (type === 'phone') return this.#phone();
    return type === 'text' ? this.#text(2) : this.#one(labels);
  }

  #values(fields: readonly StoredField[], tags: number[], memberId: number): Partial<StoredContact> {
    const values = fields.flatMap(({ id, type, options }): [number, unknown][] => {
      if (this.#next() < 0.4) return [];
      if (type === 'select') return [[id, this.#one(options).id]];
      if (type === 'multi_select') return [[id, options.filter(() => this.#next() < 0.4).map((option) => option.id)]];
      return [[id, this.#custom(type, [])]];
    });
    return {
      name: this.#text(),
      notes: this.#maybe(() => this.#text(3)),
      email: this.#maybe(this.#email),
      phone: this.#maybe(this.#phone),
      stage: this.#one(['new', 'contacted', 'engaged', 'qualified', 'customer', 'lost'] as const),
      leadScore: this.#maybe(() => this.#below(30)) ?? 0,
      hasUnreadMessages: this.#next() < 0.5,
      createdAt: this.#time(),
      lastMessageAt: this.#maybe(this.#time),
      assignedToUserId: this.#maybe(() => memberId),
      tagIds: tags.filter(() => this.#next() < 0.4),
      metadata: this.#next() < 0.5 ? {} : { k: this.#text(1) },
      values: Object.fromEntries(values),
    };
  }

  async #readRows(): Promise<void> {
    const rows = await listAll(new UnitOfWork(this.#tenant, operator), Contacts, { archived: 'all' } as never);
    this.#rows = new Map(rows.map((row) => [row.id, row]));
  }

  /** Changes a contact by the API, and reads again what has changed. */
  async change(): Promise<void> {
    const { live } = this.#workspace;
    const ids = [...this.#rows.keys()];
    const [id, other] = [this.#one(ids), this.#one(ids)];
    const changes: [string, () => Promise<unknown>][] = [
      ['patch', () => live.patch(`/v1/contacts/${id}`, { name: this.#text(), fields: { f_number: this.#below(50) } })],
      ['score', () => live.post(`/v1/contacts/${id}/lead-score`, { score: this.#below(30) })],
      ['create', () => live.post('/v1/contacts', { name: this.#text(), email: null, stage: 'engaged' })],
      ['archive', () => live.post(`/v1/contacts/${id}/archive`, {})],
      ['restore', () => live.post(`/v1/contacts/${id}/restore`, {})],
      ['merge', () => live.post(`/v1/contacts/${id}/merge`, { sourceContactId: other })],
      ['tag', () => live.post(`/v1/contacts/${id}/tags`, { tag: 'green' })],
      ['erase', () => live.post(`/v1/contacts/${id}/erasure`, { confirm: String(id) })],
    ];
    await this.#one(changes)[1]();
    await this.#readRows();
  }

  /** Renews the copy while the work is done, and is killed now and then. */
  async renewing(work: () => Promise<unknown>): Promise<void> {
    await askRenewal(this.#tenant, 'contact');
    await this.#makeDue();
    const renewal =
      this.#next() < 0.8
        ? dyingAfter(this.#below(4), () => renewCopy(this.#tenant, 'contact'))
        : renewCopy(this.#tenant, 'contact').then(() => true);
    const [isDone] = await Promise.all([renewal, work()]);
    if (isDone) this.renewals += 1;
    else this.kills += 1;
  }

  async #makeDue(): Promise<void> {
    await transact(this.#tenant, operator, async (tx) => {
      const copy = await tx.find(Copies, { noun: 'contact' });
      if (copy) tx.update(Copies, { ...copy, renewAt: tx.now });
    });
  }

  /** Searches by a random filter and order, reads all pages, and compares them with what is expected. */
  async search(): Promise<void> {
    const filter = this.#next() < 0.9 ? this.#filter(1) : undefined;
    const sort = Array.from({ length: this.#below(4) }, () => ({
      field: this.#one(this.#fields.filter(({ kind }) => kind !== 'list')).name,
      direction: this.#one(['asc', 'desc'] as const),
      nulls: this.#one(['last', 'first'] as const),
    }));
    const archived = this.#one([false, false, true, 'all'] as const);
    const word = this.#next() < 0.2 ? this.#one(words) : '';
    const body = { filter, sort, archived, count: this.#next() < 0.7, ...(word !== '' && { q: word }) };
    const expected = this.#expected(body as never, word);
    const caller = { tenant: this.#tenant, keyId: null } as Caller;
    const found: number[] = [];
    let cursor: string | null = null;
    const limit = this.#one([20, 50, 100]);
    const pages = Math.ceil(expected.length / limit) > 3 ? 2 : Number.POSITIVE_INFINITY;
    for (let page = 0; page < pages; page += 1) {
      const asked = { ...body, limit, ...(cursor !== null && { cursor }) } as SearchBody;
      const answer = await search(UnitOfWork.forAnswer(this.#tenant, operator), caller, 'contact', asked);
      if (body.count) expect(answer.total, JSON.stringify(body)).toBe(expected.length);
      found.push(...answer.items.map(({ id }) => id));
      cursor = answer.nextCursor;
      if (cursor === null) break;
    }
    expect(found, JSON.stringify(body)).toEqual(expected.slice(0, pages * limit));
  }

  /** Lists by some random filters, reads the first pages, and compares them with what is expected. */
  async list(): Promise<void> {
    const { memberId } = this.#workspace;
    const tags = this.#fieldOf('tags');
    const given = <T>(share: number, make: () => T) => (this.#next() < share ? make() : undefined);
    const query = {
      q: given(0.6, () => this.#one(words)),
      minScore: given(0.3, () => this.#below(32)),
      hasUnread: given(0.2, () => this.#next() < 0.5),
      updatedSince: given(0.2, this.#time),
      stage: given(0.2, () => this.#one(['new', 'lost'] as const)),
      tagId: given(0.2, () => tags.any() as number),
      assignedToUserId: given(0.2, () => this.#one([memberId, 'none'] as const)),
      archived: this.#one([undefined, undefined, 'true', 'all'] as const),
      after: given(0.3, () => this.#below(1200)),
      limit: this.#one([20, 100]),
    };
    const expected = [...this.#rows.values()].filter((row) => this.#isListed(query, row)).sort((a, b) => b.id - a.id);
    vi.stubEnv('READ_UNITS_PER_LIST', this.#one(['2500', '5']));
    const found: number[] = [];
    let after: number | null | undefined = query.after;
    for (let page = 0; page < maxPages && after !== null; page += 1) {
      const tx = UnitOfWork.forAnswer(this.#tenant, operator);
      const answer = await listContacts(tx, { ...query, after } as Parameters<typeof listContacts>[1]);
      found.push(...answer.items.map(({ id }) => id));
      after = answer.nextCursor;
    }
    vi.unstubAllEnvs();
    const ids = expected.map(({ id }) => id);
    expect(found, JSON.stringify(query)).toEqual(after === null ? ids : ids.slice(0, found.length));
  }

  #isListed(query: ListQuery, row: StoredContact): boolean {
    const { q, minScore, hasUnread, updatedSince, stage, tagId, assignedToUserId, archived, after } = query;
    const isArchived = row.archive !== undefined;
    return (
      (archived === 'all' || isArchived === (archived === 'true')) &&
      (q === undefined || this.#hasWords([row.name, row.username, row.phone], q)) &&
      (minScore === undefined || (row.leadScore !== null && row.leadScore >= minScore)) &&
      (hasUnread === undefined || row.hasUnreadMessages === hasUnread) &&
      (updatedSince === undefined || (row.updatedAt ?? row.createdAt) >= updatedSince) &&
      (stage === undefined || row.stage === stage) &&
      (tagId === undefined || row.tagIds.includes(tagId)) &&
      (assignedToUserId === undefined || (row.assignedToUserId ?? 'none') === assignedToUserId) &&
      (after === undefined || row.id < after)
    );
  }

  #filter(level: number): Filter {
    const chance = this.#next();
    if (level < 4 && chance < 0.15) return { not: this.#filter(level + 1) };
    if (level < 4 && chance < 0.5) {
      const all = Array.from({ length: 1 + this.#below(3) }, () => this.#filter(level + 1));
      return this.#next() < 0.5 ? { and: all } : { or: all };
    }
    const field = this.#one(this.#fields);
    const op = this.#one([...operatorsOf[field.kind], 'isSet', 'isNotSet']);
    if (op === 'isSet' || op === 'isNotSet') return { field: field.name, op };
    if (op === 'in' || op === 'notIn')
      return { field: field.name, op, value: Array.from({ length: 1 + this.#below(4) }, field.any) };
    if (op === 'between') {
      const [a, b] = [field.any(), field.any()];
      const isRising = typeof a !== 'object' ? (a as number) <= (b as number) : false;
      return { field: field.name, op, value: isRising ? [a, b] : [b, typeof a === 'object' ? b : a] };
    }
    const value = field.any();
    if (op === 'contains' || op === 'startsWith')
      return { field: field.name, op, value: this.#part(String(value), op) };
    return { field: field.name, op, value };
  }

  #part(text: string, op: string): string {
    const folded = this.#fold(text);
    const start = op === 'startsWith' ? 0 : this.#below(folded.length);
    return [...folded].slice(start, start + 1 + this.#below(3)).join('') || 'x';
  }

  #expected({ filter, sort, archived }: SearchBody, word: string): number[] {
    const steps = (sort ?? []).map((step) => ({ ...step, field: this.#fieldOf(step.field) }));
    return [...this.#rows.values()]
      .filter((row) => archived === 'all' || (row.archive !== undefined) === archived)
      .filter((row) => filter === undefined || this.#holds(filter as never, row))
      .filter((row) => word === '' || this.#hasWords([row.name, row.email, row.phone], word))
      .sort((a, b) => {
        for (const { field, direction, nulls } of steps) {
          const [one, other] = [this.#sortKey(field, a), this.#sortKey(field, b)];
          if (one === null && other === null) continue;
          if (one === null || other === null) return (one === null) === (nulls === 'last') ? 1 : -1;
          const difference = compare(field.kind, one, other);
          if (difference !== 0) return direction === 'asc' ? difference : -difference;
        }
        return b.id - a.id;
      })
      .map(({ id }) => id);
  }

  #fieldOf = (name: string) => this.#fields.find((field) => field.name === name) as OracleField;

  #hasWords(given: readonly (string | null)[], q: string): boolean {
    const texts = given.map((text) => (text === null ? '' : this.#fold(text)));
    return q.split(/\s+/).every((word) => texts.some((text) => text.includes(this.#foldWord(word.replace(/^@/, '')))));
  }

  /** A word is a run of the signs that texts are made of. */
  #foldWord = (word: string) => signs.reduce((text, [sign, folded]) => text.replaceAll(sign, folded), word);

  #sortKey({ kind, of, choices = [] }: OracleField, row: StoredContact): Value {
    const value = of(row) ?? null;
    if (value === null) return null;
    return kind === 'choice' ? choices.indexOf(value as string) : value;
  }

  #holds(filter: Filter, row: StoredContact): boolean {
    if ('and' in filter) return filter.and.every((one) => this.#holds(one, row));
    if ('or' in filter) return filter.or.some((one) => this.#holds(one, row));
    if ('not' in filter) return !this.#holds(filter.not, row);
    const { op, value } = filter;
    const field = this.#fieldOf(filter.field);
    const own = field.of(row) ?? null;
    const all = own === null ? [] : Array.isArray(own) ? (own as Value[]) : [own];
    if (op === 'isSet' || op === 'isNotSet') return all.length > 0 === (op === 'isSet');
    const values = [value].flat() as Value[];
    const isEqual = (a: Value) => values.some((b) => this.#same(field, a, b));
    if (op === 'eq' || op === 'in') return all.some(isEqual);
    if (op === 'ne' || op === 'notIn') return !all.some(isEqual);
    return all.some((one) => this.#compares(field.kind, op, one, values as [Value, Value]));
  }

  #same({ kind, name }: OracleField, a: Value, b: Value): boolean {
    if (kind === 'money')
      return (
        JSON.stringify(a) === JSON.stringify(b) ||
        (isMoney(a) && isMoney(b) && a.amount === b.amount && a.currency === b.currency)
      );
    if (kind === 'text' || kind === 'email') return this.#fold(String(a)) === this.#fold(String(b));
    if (name === 'fields.f_select' || name === 'fields.f_multi_select') return a === b;
    return a === b;
  }

  #compares(kind: Kind, op: string, own: Value, [first, last]: [Value, Value]): boolean {
    if (op === 'contains') return this.#fold(String(own)).includes(String(first));
    if (op === 'startsWith') return this.#fold(String(own)).startsWith(String(first));
    if (isMoney(own) && (!isMoney(first) || own.currency !== first.currency)) return false;
    const difference = compare(kind, own, first);
    if (op === 'between') return difference >= 0 && compare(kind, own, last) <= 0;
    if (op === 'gt') return difference > 0;
    if (op === 'gte') return difference >= 0;
    return op === 'lt' ? difference < 0 : difference <= 0;
  }
}

const isMoney = (value: Value): value is { amount: number; currency: string } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function compare(kind: Kind, a: Value, b: Value): number {
  if (kind === 'text' || kind === 'email') return collator.compare(String(a), String(b));
  if (isMoney(a) && isMoney(b))
    return a.currency === b.currency ? a.amount - b.amount : a.currency < b.currency ? -1 : 1;
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : Number(a > b);
  return Number(a) - Number(b);
}

/** Makes so many searches with changes, renewals, and kills among them. */
export async function consult(oracle: Oracle, searches: number): Promise<void> {
  for (let index = 0; index < searches; index += 1) {
    if (index % 15 === 0) await oracle.renewing(() => Promise.all([oracle.search(), oracle.list()]));
    if (index % 7 === 3) await oracle.change();
    await oracle.search();
    if (index % 2 === 0) await oracle.list();
  }
}
