import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { CrmClient, Schema } from '../../client/index.ts';
import { connect } from '../connection.ts';
import { operandsOf } from '../operands.ts';
import { Progress } from '../progress.ts';
import { readExpression } from '../search/expression.ts';
import { placed } from '../search/refused.ts';
import { untilStopped } from '../stop.ts';
import { Failure, UsageError, verb } from '../verb.ts';

type Export = Schema<'Export'>;

const formats = ['csv', 'ndjson', 'parquet'] as const;
const singular = { contacts: 'contact', companies: 'company', deals: 'deal', tasks: 'task' } as const;
const pollMs = 1000;

export const exportRecords = verb({
  summary: 'Writes all records that fit to a file.',
  usage: "NOUN [--view NAME] [--filter 'expression'] [--columns a,b] [--format csv|ndjson|parquet] > FILE",
  options: {
    view: { type: 'string', value: 'NAME', help: 'the filter of a saved view, by its name or id' },
    filter: { type: 'string', value: 'EXPR', help: 'an expression as crm search takes it' },
    columns: { type: 'string', value: 'FIELDS', help: 'only these, in this order: name,email,fields.city' },
    format: { type: 'string', value: 'FORMAT', help: 'csv (default), ndjson, or parquet' },
    archived: { type: 'string', value: 'WHICH', help: 'true: only archived ones; all: these too' },
    output: { type: 'string', short: 'o', value: 'FILE', help: 'write to this file instead of standard output' },
  },
  more: `The nouns are contacts, companies, deals, tasks, notes, messages, transactions, invoices, and events.

  crm export contacts --view "Hot leads" > hot.csv
  crm export deals --filter 'stage = won and closedAt >= startOfYear' --columns title,value,currency -o won.csv
  crm export contacts --format parquet -o contacts.parquet`,
  async run({ values, operands, output }) {
    const [object = ''] = operandsOf(operands, 'what to export (contacts, deals, …)');
    const format = formats.find((one) => one === (values.format ?? 'csv'));
    if (!format) throw new UsageError(`--format takes one of ${formats.join(', ')}`);
    if (values.output === undefined && process.stdout.isTTY && format === 'parquet')
      throw new UsageError('a terminal shows no Parquet: add -o FILE');
    const { archived } = values;
    if (archived !== undefined && !['true', 'false', 'all'].includes(archived))
      throw new UsageError('--archived takes true, false, or all');
    const { crm } = connect(values);
    const expression = values.filter === undefined ? undefined : readExpression(values.filter);
    const viewId = values.view === undefined ? undefined : await viewNamed(crm, object, values.view);
    const body = {
      object: object as Export['object'],
      format,
      ...(expression && { filter: expression.filter }),
      ...(viewId !== undefined && { viewId }),
      ...(values.columns !== undefined && { columns: values.columns.split(',').map((one) => one.trim()) }),
      ...(archived !== undefined && { archived: archived === 'all' ? ('all' as const) : archived === 'true' }),
    };
    const { id } = await crm.post('/v1/exports', { body: body as never }).catch((error: unknown) => {
      throw expression ? placed(error, values.filter ?? '', expression) : error;
    });
    const progress = new Progress(output);
    const { url, rows } = await untilEnded(crm, id, progress);
    const { ok, status, body: bytes } = await fetch(url);
    if (!ok || bytes === null) throw new Failure(`the storage answers ${status}: try again`);
    const target = values.output === undefined ? process.stdout : createWriteStream(values.output);
    await pipeline(Readable.fromWeb(bytes as never), target, { end: values.output !== undefined });
    output.note(`${rows} ${object}`);
  },
});

/** Returns the id of a view of the object by its name or id. Raises UsageError where there is none. */
async function viewNamed(crm: CrmClient, object: string, given: string): Promise<number> {
  const of = singular[object as keyof typeof singular];
  if (of === undefined) throw new UsageError(`${object} have no views: use --filter`);
  if (/^\d+$/.test(given)) return Number(given);
  const items = await allViews(crm, of);
  const named = items.filter(({ name }) => name.toLowerCase() === given.toLowerCase());
  const [view] = named;
  if (!view) throw new UsageError(`no view is named "${given}"; there are ${items.map(({ name }) => name).join(', ')}`);
  if (named.length > 1) throw new UsageError(`several views are named "${given}": give the id`);
  return view.id;
}

/** Returns all views of an object. */
async function allViews(crm: CrmClient, object: Schema<'View'>['object']): Promise<Schema<'View'>[]> {
  const views: Schema<'View'>[] = [];
  for (let after: number | null | undefined; after !== null; ) {
    const page = await crm.get('/v1/views', { params: { query: { object, limit: 100, ...(after && { after }) } } });
    views.push(...page.items);
    after = page.nextCursor;
  }
  return views;
}

/** Waits until the file is there. Returns where it is. Raises Failure where there will be none. */
async function untilEnded(crm: CrmClient, id: number, progress: Progress): Promise<{ url: string; rows: number }> {
  const stop = untilStopped();
  try {
    for (;;) {
      const { status, rows, url, error } = await crm.get('/v1/exports/{id}', { params: { path: { id } } });
      if (status === 'failed') throw new Failure(`the export has failed: ${error}`);
      if (status === 'completed' && url !== null) return { url, rows: rows ?? 0 };
      if (status === 'completed') throw new Failure('the file of the export is gone: export again');
      progress.show(status === 'queued' ? 'Waiting' : 'Exporting', rows ?? 0, null, 'rows');
      await wait(pollMs, undefined, { signal: stop.signal });
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    throw new Failure(`export ${id} goes on: see crm api /v1/exports/${id}`);
  } finally {
    progress.end();
  }
}
