import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { basename } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { CrmClient, Schema } from '../../client/index.ts';
import { connect, reasonOf } from '../connection.ts';
import { operandsOf } from '../operands.ts';
import { printable } from '../output.ts';
import { Progress } from '../progress.ts';
import { untilStopped } from '../stop.ts';
import { Failure, UsageError, verb } from '../verb.ts';

type Import = Schema<'Import'>;
type Preview = Schema<'ImportPreview'>;

const objects = ['contacts', 'companies', 'deals', 'tasks', 'notes'] as const;
const conflicts = ['skip', 'update', 'fail'] as const;
const creatables = ['tags', 'options', 'companies'] as const;
const pollMs = 1000;

export const importFile = verb({
  summary: 'Takes in a CSV or NDJSON file of records.',
  usage: 'FILE [--object contacts] [--map "Header=field"]… [--match email] [--on-conflict update] [--dry-run]',
  options: {
    object: { type: 'string', value: 'NOUN', help: `${objects.join(', ')}; default: contacts` },
    map: {
      type: 'string',
      multiple: true,
      value: 'H=F',
      help: 'the field of a column: "E-mail=email"; "Header=" leaves it out. Others are suggested by the API',
    },
    match: {
      type: 'string',
      value: 'FIELD',
      help: 'records with the same value are the same: email, id, metadata.key',
    },
    'on-conflict': {
      type: 'string',
      value: 'WHAT',
      help: 'for a record that is there: skip (default), update, or fail',
    },
    'create-missing': { type: 'string', value: 'LIST', help: 'what rows may create: tags,options,companies' },
    'dry-run': { type: 'boolean', help: 'check every row and change nothing' },
    silent: { type: 'boolean', help: 'no event for each record' },
    errors: { type: 'string', value: 'FILE', help: 'write the rows that fail to this file' },
  },
  more: `It shows which column goes to which field, and waits for the end. It exits with 1 if a row fails.

  crm import people.csv --dry-run
  crm import people.csv --map "E-mail=email" --map "City=fields.city" --match email --on-conflict update
  crm import deals.csv --object deals --create-missing companies --errors failed.csv`,
  async run({ values, operands, output }) {
    const [path = ''] = operandsOf(operands, 'the file');
    const given = {
      object: oneOf('--object', objects, values.object ?? 'contacts'),
      onConflict: oneOf('--on-conflict', conflicts, values['on-conflict'] ?? 'skip'),
      createMissing: (values['create-missing']?.split(',') ?? []).map((one) =>
        oneOf('--create-missing', creatables, one.trim()),
      ),
      dryRun: values['dry-run'] ?? false,
      silent: values.silent ?? false,
      ...(values.match !== undefined && { matchOn: values.match }),
    };
    const { crm } = connect(values);
    const progress = new Progress(output);
    const fileId = await upload(crm, path, progress);
    const preview = await crm.post('/v1/imports/preview', { body: { fileId, object: given.object } });
    const mapping = mappingOf(preview, values.map ?? []);
    output.note(tableOf(preview, mapping));
    const { id } = await crm.post('/v1/imports', { body: { ...given, fileId, mapping } });
    const ended = await untilEnded(crm, id, progress);
    output.result(ended, summaryOf(ended));
    if (values.errors !== undefined && ended.errorsUrl !== null) await save(ended.errorsUrl, values.errors);
    requireSuccess(ended, values.errors);
  },
});

function oneOf<Choice extends string>(option: string, choices: readonly Choice[], given: string): Choice {
  if (!choices.includes(given as Choice)) throw new UsageError(`${option} takes one of ${choices.join(', ')}`);
  return given as Choice;
}

/** Uploads a file for an import. Returns its id. */
async function upload(crm: CrmClient, path: string, progress: Progress): Promise<number> {
  const sizeBytes = sizeOf(path);
  const contentType = /\.(nd)?jsonl?$/i.test(path) ? 'application/x-ndjson' : 'text/csv';
  const { id, uploadUrl, uploadHeaders } = await crm.post('/v1/files', {
    body: { purpose: 'import', fileName: basename(path), contentType, sizeBytes },
  });
  let sentBytes = 0;
  const counting = new Transform({
    transform(chunk: Buffer, _, done) {
      sentBytes += chunk.length;
      progress.show('Uploading', Math.ceil(sentBytes / 1000), Math.ceil(sizeBytes / 1000), 'KB');
      done(null, chunk);
    },
  });
  try {
    await put(uploadUrl, uploadHeaders, path, counting);
  } catch (error) {
    throw new Failure(`${basename(path)} could not be uploaded: ${reasonOf(error)}`);
  } finally {
    progress.end();
  }
  return id;
}

function sizeOf(path: string): number {
  try {
    const { size } = statSync(path);
    if (size > 0) return size;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  throw new UsageError(`${path} is empty: give a file with a row of headers and records`);
}

/** Puts a file as a stream with its length, which `fetch` cannot. */
function put(url: string, headers: Record<string, string>, path: string, counting: Transform): Promise<void> {
  const send = url.startsWith('https:') ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const request = send(url, { method: 'PUT', headers }, (response) => {
      response.resume();
      if (response.statusCode === 200) resolve();
      else reject(new Error(`the storage answers ${response.statusCode}`));
    });
    request.on('error', reject);
    pipeline(createReadStream(path), counting, request).catch(reject);
  });
}

/** Returns the fields of the headers: those that the caller names, else those that the API suggests. */
function mappingOf({ columns }: Preview, given: readonly string[]): Record<string, string> {
  const suggested = columns.flatMap(({ header, suggested: field }) => (field === null ? [] : [[header, field]]));
  const named = given.map((one) => {
    const at = one.lastIndexOf('=');
    const header = one.slice(0, at);
    if (at < 1) throw new UsageError(`"${one}" maps no column: write it like "E-mail=email"`);
    if (!columns.some((column) => column.header === header))
      throw new UsageError(`the file has no column "${header}"; it has ${columns.map((of) => of.header).join(', ')}`);
    return [header, one.slice(at + 1).trim()];
  });
  const mapping: [string, string][] = Object.entries(Object.fromEntries([...suggested, ...named]));
  const taken = mapping.filter(([, field]) => field !== '');
  if (taken.length === 0) throw new UsageError('no column has a field: name some with --map "Header=field"');
  return Object.fromEntries(taken);
}

function tableOf({ format, encoding, rows, columns }: Preview, mapping: Record<string, string>): string {
  const width = Math.min(32, Math.max(...columns.map(({ header }) => header.length)));
  const lines = columns.map(({ header, samples }) => {
    const field = Object.hasOwn(mapping, header) ? `→ ${mapping[header]}` : '  (left out)';
    return `  ${printable(header).padEnd(width)}  ${field.padEnd(24)}  ${printable(samples.join(' | ')).slice(0, 60)}`;
  });
  return [`${format}, ${encoding}, about ${rows.toLocaleString('en')} rows`, ...lines].join('\n');
}

const endings = ['completed', 'failed', 'canceled', 'undone'];

/** Waits for the end of an import, which goes on without whoever waits. */
async function untilEnded(crm: CrmClient, id: number, progress: Progress): Promise<Import> {
  const stop = untilStopped();
  try {
    for (;;) {
      const now = await crm.get('/v1/imports/{id}', { params: { path: { id } } });
      if (endings.includes(now.status)) return now;
      progress.show(now.status === 'queued' ? 'Waiting' : 'Importing', now.processed, now.total, 'rows');
      await wait(pollMs, undefined, { signal: stop.signal });
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    throw new Failure(
      `import ${id} goes on: see crm api /v1/imports/${id}, or stop it with crm api POST /v1/imports/${id}/cancel -d {}`,
    );
  } finally {
    progress.end();
  }
}

function summaryOf({ id, dryRun, processed, created, updated, skipped, failed }: Import): string {
  const counts = `${created} created, ${updated} updated, ${skipped} skipped, ${failed} failed`;
  return `import ${id}: ${processed} rows${dryRun ? ' checked' : ''}: ${counts}`;
}

/** Raises Failure where rows have failed, or the import has not come to its end. */
function requireSuccess({ status, error, failed, errorsUrl }: Import, saved: string | undefined): void {
  if (status !== 'completed') throw new Failure(`the import has ${status}: ${error ?? 'somebody has stopped it'}`);
  if (failed === 0) return;
  const where = saved ?? `${errorsUrl} (for five minutes)`;
  throw new Failure(`rows have failed, the file of their errors can be imported again: ${where}`);
}

/** Writes what an address answers to a file. */
async function save(url: string, path: string): Promise<void> {
  const { ok, status, body } = await fetch(url);
  if (!ok || body === null) throw new Failure(`the storage answers ${status}: try again`);
  await pipeline(Readable.fromWeb(body as never), createWriteStream(path));
}
