import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'csv-parse/sync';
import { parquetReadObjects } from 'hyparquet';
import { demoClient } from '#test/bench/demo.ts';
import { newWorkspace } from '#test/bench/many.ts';
import { beside, type Line, quantile } from '#test/bench/report.ts';
import { type Answer, type Client, eventually } from '#test/client.ts';
import { readEnvironment, startSystem } from '#test/system.ts';

/** `PEOPLE=100000` asks for more, which takes an hour. */
const people = Number(process.env['PEOPLE'] ?? 2000);
const waitMs = 7_200_000;
const pollMs = 500;
const neighborCalls = 300;

const columns = ['name', 'email', 'phone', 'company', 'stage', 'leadScore', 'metadata.source'] as const;
type Person = Record<(typeof columns)[number], string>;

const stages = ['new', 'contacted', 'qualified'];
const personOf = (index: number): Person => ({
  name: `Person ${index}, "the ${index % 7}th"`,
  email: `person-${index}@people.example`,
  phone: `+4930${1_000_000 + index}`,
  company: `Company ${index % 1000}`,
  stage: stages[index % stages.length] as string,
  leadScore: String(index % 101),
  'metadata.source': `file ${index % 13}`,
});

const quoted = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** A file of people is imported, undone, imported again, and exported as CSV and Parquet with the same values, beside a neighbor's reads. */
export async function moving(workDir: string): Promise<Line[]> {
  const dataDir = join(workDir, 'moving');
  const system = await startSystem(dataDir, { RATE_LIMIT_PER_MINUTE: '1000000' }, []);
  try {
    Object.assign(process.env, await readEnvironment(dataDir));
    const { client } = await newWorkspace('Moving', system.baseUrl);
    const neighbor = await demoClient(dataDir, system.baseUrl);
    const lines: Line[] = [];
    const aloneMs = await readsOf(neighbor, () => false);
    const fileId = await uploaded(client);
    const imported = await timed(() => importOf(client, fileId));
    const { id } = imported.value;
    lines.push(speed('imported', imported.ms));
    const undone = await timed(async () => {
      await client.post(`/v1/imports/${id}/undo`, {}, 202);
      return ended(client, `/v1/imports/${id}`, 'undone');
    });
    lines.push(speed('undone', undone.ms), same('archived', undone.value.archived, people));
    let isOver = false;
    const besideMs = readsOf(neighbor, () => isOver, Number.POSITIVE_INFINITY);
    const again = await timed(() => importOf(client, fileId));
    isOver = true;
    lines.push(speed('imported again', again.ms));
    const [p99, p99Beside] = [quantile(aloneMs, 0.99), quantile(await besideMs, 0.99)];
    lines.push(beside('a neighbor’s GET, p99 alone and beside', `${p99.toFixed(1)} and ${p99Beside.toFixed(1)} ms`));
    for (const format of ['csv', 'parquet'] as const) {
      const made = await timed(() => exported(client, format));
      lines.push(speed(`exported as ${format}`, made.ms), same(`rows of the ${format} that differ`, made.value, 0));
    }
    return lines;
  } finally {
    await system.stop();
  }
}

const speed = (what: string, ms: number): Line =>
  beside(
    `${people.toLocaleString('en')} people ${what}`,
    `${(ms / 1000).toFixed(0)} s, ${((people * 1000) / ms).toFixed(0)}/s`,
  );

const same = (what: string, value: number, wanted: number): Line => ({
  ...{ what, measured: String(value), budget: String(wanted) },
  ok: value === wanted,
});

async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; value: T }> {
  const startedMs = performance.now();
  const value = await work();
  return { ms: performance.now() - startedMs, value };
}

/** How long reads of a neighbor take, one after the other, until it is over or there are enough. */
async function readsOf(neighbor: Client, isOver: () => boolean, most = neighborCalls): Promise<number[]> {
  const { items } = (await neighbor.get('/v1/contacts')).body;
  const path = `/v1/contacts/${items[0].id}`;
  const takenMs: number[] = [];
  while (!isOver() && takenMs.length < most) {
    takenMs.push((await timed(() => neighbor.get(path, undefined, 200))).ms);
    await sleep(20);
  }
  return takenMs;
}

async function uploaded(client: Client): Promise<number> {
  const lines = [columns.join(',')];
  for (let index = 0; index < people; index += 1) lines.push(Object.values(personOf(index)).map(quoted).join(','));
  const bytes = Buffer.from(lines.join('\r\n'));
  const { body } = await client.post(
    '/v1/files',
    { purpose: 'import', fileName: 'people.csv', contentType: 'text/csv', sizeBytes: bytes.length },
    201,
  );
  const put = await fetch(body.uploadUrl, { method: 'PUT', headers: body.uploadHeaders, body: bytes });
  if (!put.ok) throw new Error(`the file is not taken: ${put.status}`);
  return body.id;
}

async function importOf(client: Client, fileId: number): Promise<Answer['body']> {
  const mapping = Object.fromEntries(columns.map((name) => [name, name]));
  const { body } = await client.post(
    '/v1/imports',
    {
      fileId,
      object: 'contacts',
      mapping,
      matchOn: 'email',
      onConflict: 'fail',
      createMissing: ['companies'],
      silent: true,
    },
    202,
  );
  return ended(client, `/v1/imports/${body.id}`, 'completed');
}

/** Waits until a job has this status, and says now and then how far it is. */
async function ended(client: Client, path: string, status: string): Promise<Answer['body']> {
  let saidMs = performance.now();
  let job: Answer['body'];
  await eventually(
    async () => {
      await sleep(pollMs);
      job = (await client.get(path)).body;
      if (performance.now() - saidMs > 30_000) {
        saidMs = performance.now();
        console.error(path, JSON.stringify(job));
      }
      if (job.status === 'failed') throw new Error(JSON.stringify(job));
      return job.status === status;
    },
    `${path} ${status}`,
    waitMs,
  );
  if (job.failed) throw new Error(`${job.failed} rows failed`);
  return job;
}

/** Exports all contacts, and returns how many rows differ from those of the file. */
async function exported(client: Client, format: 'csv' | 'parquet'): Promise<number> {
  const { body } = await client.post('/v1/exports', { object: 'contacts', format, columns }, 202);
  const { url } = await ended(client, `/v1/exports/${body.id}`, 'completed');
  const bytes = Buffer.from(await (await fetch(url)).arrayBuffer());
  const rows = (
    format === 'csv'
      ? parse(bytes, { columns: true, bom: true })
      : await parquetReadObjects({ file: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) })
  ) as Record<string, unknown>[];
  const byEmail = new Map(rows.map((row) => [String(row['email']), row]));
  let differ = Math.abs(rows.length - people);
  for (let index = 0; index < people; index += 1) {
    const person = personOf(index);
    const row = byEmail.get(person.email);
    if (!row || !isOf(row, person)) differ += 1;
  }
  return differ;
}

/** A text of a CSV file that begins like a formula is preceded by an apostrophe. */
const isOf = (row: Record<string, unknown>, person: Person) =>
  columns.every((name) => String(row[name]).replace(/^'(?=[=+@-])/, '') === person[name]);
