import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { bedrockModel } from '#lib/agents/bedrock.ts';
import { fetchMail } from '#lib/email/bucket.ts';
import { handOver } from '#lib/email/ses.ts';
import { storeFile } from '#lib/files/bucket.ts';
import { readRow } from '#lib/table/rows.ts';
import { redirect } from '#test/endpoints.ts';
import { temporaryFolder } from '#test/infra/local/cloud-assembly.ts';

const folder = temporaryFolder();
const open = new Set<Socket>();
const purged = new Set<Socket>();
let answered = 0;
let refused = 0;

/** As what is asked on connections that Lambda has purged ends: nobody says so before. */
const server = createServer(async (request, response) => {
  if (purged.has(request.socket)) {
    refused += 1;
    request.socket.resetAndDestroy();
    return;
  }
  const body = await buffer(request);
  answered += 1;
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ MessageId: `m${answered}`, size: body.length }));
});
server.keepAliveTimeout = 600_000;
server.on('connection', (socket) => open.add(socket));
/** What a process meets that was frozen for long. */
const thaw = () => {
  for (const socket of open) purged.add(socket);
};

let restore: (() => void)[] = [];
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  restore = ['DYNAMODB', 'SESV2', 'S3', 'BEDROCK_RUNTIME'].map((service) => redirect(service, url));
});
beforeEach(() => {
  answered = 0;
  refused = 0;
});
afterAll(() => {
  for (const one of restore) one();
  server.closeAllConnections();
  server.close();
  folder.remove();
});

const read = () => readRow({ pk: 'p', sk: 's' });

test('a call meets at most one purged connection and continues on a new one', async () => {
  const many = 8;
  await Promise.all(Array.from({ length: many }, read));
  thaw();
  await read();
  expect([answered, refused]).toEqual([many + 1, 1]);
  await Promise.all(Array.from({ length: many }, read));
  expect([answered, refused]).toEqual([2 * many + 1, 1]);
});

const mail = () =>
  handOver({ ToAddresses: ['ann@example.com'] }, Buffer.from('From: a@example.com\n\nHi'), { job: '1' });
const path = join(folder.path, 'file');
const sizeBytes = 300_000;
const works: [what: string, work: () => Promise<unknown>][] = [
  ['a mail', mail],
  ['a file that is stored', () => storeFile('files/1', path, sizeBytes)],
  ['a mail that is fetched', () => fetchMail('inbound/1')],
  ['a model', () => bedrockModel('m').complete({ system: 's', turns: [{ role: 'contact', text: 'Hi' }] })],
];

test.each(works)('%s meets no connection that was purged', async (_, work) => {
  await writeFile(path, randomBytes(sizeBytes));
  const many = 5;
  await Promise.all(Array.from({ length: many }, work));
  thaw();
  await work();
  expect([answered, refused]).toEqual([many + 1, 0]);
});
