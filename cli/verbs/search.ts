import { ApiError, type CrmClient, type Schema } from '../../client/index.ts';
import { connect } from '../connection.ts';
import { countOf } from '../operands.ts';
import { type Output, printable } from '../output.ts';
import { isExpression, readExpression } from '../search/expression.ts';
import { placed } from '../search/refused.ts';
import { UsageError, verb } from '../verb.ts';

const objects = ['contacts', 'companies', 'deals', 'tasks'] as const;
type Searched = (typeof objects)[number];
const isObject = (text: string | undefined): text is Searched => objects.includes(text as Searched);

const pageSize = 100;
const defaultLimit = 25;

export const search = verb({
  summary: 'Finds records by words, or by an expression.',
  usage: "[contacts|companies|deals|tasks] [words | 'expression'] [--sort fields] [--limit N | --all]",
  options: {
    object: { type: 'string', value: 'NOUN', help: 'what to search: contacts, companies, deals, or tasks' },
    sort: {
      type: 'string',
      value: 'FIELDS',
      mayBeSigned: true,
      help: 'up to 3 fields, with - descending: -leadScore,name',
    },
    limit: { type: 'string', value: 'N', help: `at most so many; default: ${defaultLimit}` },
    all: { type: 'boolean', help: 'every record that fits' },
  },
  more: `An expression without a noun searches contacts. Words without a noun search everything, threads too.

  fields     names of the API: stage, leadScore, fields.budget, metadata.plan, tags
  =  !=      equal or not          ~   contains           is set, is not set
  <  <= >  >=                      ^=  starts with        in (a, b), not in (a, b)
  between a and b
  values     qualified, 50, true, "two words", 1000 EUR, 2026-11-30, today-30d, startOfMonth
  groups     and, or, not, parentheses

  crm search ada
  crm search contacts 'stage = qualified and fields.budget > 1000' --sort -leadScore,name
  crm search deals 'value >= 5000 and not stage in (won, lost)' --all --json | jq .title
  crm search 'lastMessageAt < today-30d or lastMessageAt is not set'`,
  async run({ values, operands, output }) {
    const named = values.object ?? (isObject(operands[0]) ? operands[0] : undefined);
    if (named !== undefined && !isObject(named))
      throw new UsageError(`"${named}" is not searched: use one of ${objects.join(', ')}`);
    const text = (values.object === undefined && named !== undefined ? operands.slice(1) : operands).join(' ').trim();
    if (values.all && values.limit !== undefined) throw new UsageError('use either --limit or --all, not both');
    const limit = values.all ? Number.POSITIVE_INFINITY : (countOf('--limit', values.limit) ?? defaultLimit);
    if (limit === 0) throw new UsageError('--limit takes a number from 1');
    const expression = isExpression(text) ? readExpression(text) : undefined;
    const { crm } = connect(values);
    if (named === undefined && expression === undefined) {
      if (text === '') throw new UsageError('what to search for is missing: words, an expression, or a noun');
      if (values.sort !== undefined) throw new UsageError('--sort needs a noun: crm search contacts …');
      await everywhere(crm, text, limit, output);
      return;
    }
    const query = {
      ...(expression ? { filter: expression.filter } : text !== '' && { q: text }),
      ...sortOf(values.sort),
    };
    await found(crm, named ?? 'contacts', query, limit, output).catch((error: unknown) => {
      throw expression ? placed(error, text, expression) : error;
    });
  },
});

/** Returns the order that `-leadScore,name` names. */
function sortOf(given: string | undefined) {
  if (given === undefined) return {};
  const fields = given.split(',').map((one) => one.trim());
  if (fields.some((field) => !/^[+-]?[\w.]+$/.test(field)))
    throw new UsageError(`"${given}" is no order: write it like -leadScore,name`);
  return {
    sort: fields.map((field) => ({
      field: field.replace(/^[+-]/, ''),
      direction: field.startsWith('-') ? ('desc' as const) : ('asc' as const),
    })),
  };
}

interface Query {
  filter?: unknown;
  q?: string;
  sort?: { field: string }[];
}

async function found(crm: CrmClient, object: Searched, query: Query, limit: number, output: Output): Promise<void> {
  const named = [...JSON.stringify(query).matchAll(/"field":"fields\./g)];
  const body = { ...query, ...(named.length > 0 && { include: 'fields' }) };
  let remaining = limit;
  for (let cursor: string | null | undefined; cursor !== null && remaining > 0; ) {
    const page = await crm.post(`/v1/${object}/search`, {
      body: { ...body, limit: Math.min(pageSize, remaining), ...(cursor !== undefined && { cursor }) } as never,
    });
    for (const item of page.items) output.result(item, lineOf(item));
    remaining -= page.items.length;
    cursor = page.nextCursor;
    if (cursor !== null && remaining <= 0) output.note('More records fit: use --limit or --all.');
  }
}

type Item = Schema<'Contact'> | Schema<'Company'> | Schema<'Deal'> | Schema<'Task'>;

/** Returns a record in one line: its id, its name, and what tells it from others. */
function lineOf(item: Item): string {
  const name = 'title' in item ? item.title : item.name;
  const texts = 'value' in item ? [`${item.value} ${item.currency}`, item.stage, item.contactName] : detailsOf(item);
  return [
    String(item.id).padStart(6),
    printable(name ?? '').padEnd(28),
    ...texts.flatMap((text) => printable(text ?? '') || []),
  ].join('  ');
}

function detailsOf(item: Exclude<Item, Schema<'Deal'>>): (string | null)[] {
  if ('priority' in item) return [item.status, item.priority, item.dueAt];
  return 'stage' in item ? [item.stage, item.email, item.phone, item.company] : [...item.domains, item.phone];
}

/** Prints what holds the words, of every type that the key may read; the others are named. */
async function everywhere(crm: CrmClient, q: string, limit: number, output: Output): Promise<void> {
  const { data, error, response } = await crm.fetch.GET('/v1/search', { params: { query: { q } } });
  if (!data) throw new ApiError(response, error as never);
  for (const hit of data.items.slice(0, limit)) {
    const { type, id, title, subtitle } = hit;
    output.result(
      hit,
      [type.padEnd(8), String(id).padStart(6), printable(title), printable(subtitle ?? '')].join('  ').trimEnd(),
    );
  }
  const ignored = response.headers.get('x-ignored-parameters');
  if (ignored !== null) output.note(`Left out, because the key may not read them: ${ignored.replaceAll(',', ', ')}.`);
}
