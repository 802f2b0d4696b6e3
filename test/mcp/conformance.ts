/**
 * The official conformance suite and the Inspector against a running system: `node test/mcp/conformance.ts <baseUrl> <key>`. By hand,
 * because npx fetches some hundred packages for it. Exits with 1 when anything but the baseline is found.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expected } from '#test/mcp/conformance-baseline.ts';

const suites: Record<string, string[]> = {
  '2026-07-28': ['@modelcontextprotocol/conformance@0.2.0-alpha.12', 'server', '--requirements', '2026-07-28'],
  '2025-11-25': ['@modelcontextprotocol/conformance@0.1.16', 'server'],
};
const inspector = '@modelcontextprotocol/inspector@2.12.0';
const inspections = [
  ['tools/list', '--strict'],
  ['tools/call', '--tool-name', 'workspace_get', '--tool-arg', 'part=me'],
  ['tools/call', '--tool-name', 'contacts_search', '--tool-arg', 'limit=2'],
];

/** What stands in for the tools that the suite wants a server under test to have. */
const fixtures: Record<string, { name: string; arguments: object }> = {
  test_simple_text: { name: 'workspace_get', arguments: { part: 'me' } },
  test_error_handling: { name: 'contacts_get', arguments: { id: 2_147_483_647 } },
};

/** The suite cannot send a key: this adds it, and passes on everything else, `Host` and `Origin` included. */
async function startProxy(baseUrl: string, key: string) {
  const server = createServer(async (incoming, outgoing) => {
    const { body, headers } = withFixtures(await text(incoming), incoming.headers);
    const forwarded = request(new URL(incoming.url ?? '/', baseUrl), {
      method: incoming.method ?? 'GET',
      headers: { ...headers, authorization: `Bearer ${key}`, 'content-length': Buffer.byteLength(body) },
      setHost: false,
    });
    forwarded.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    forwarded.end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, close: () => server.close() };
}

function withFixtures(body: string, { 'transfer-encoding': _, ...headers }: IncomingMessage['headers']) {
  const named = Object.keys(fixtures).find((name) => body.includes(`"${name}"`));
  if (!named) return { body, headers };
  const sent = JSON.parse(body);
  const params = { ...sent.params, ...fixtures[named] };
  return {
    body: JSON.stringify({ ...sent, params }),
    headers: { ...headers, ...(headers['mcp-name'] ? { 'mcp-name': params.name } : {}) },
  };
}

async function npx(args: readonly string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn('npx', ['--yes', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [[code], ...outputs] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  return { code, output: outputs.join('\n') };
}

interface Check {
  id: string;
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'INFO' | 'SKIPPED';
}

/** `scenario/check` of everything that was found wanting, and the number of checks that passed. */
async function resultsIn(folder: string) {
  const found = new Set<string>();
  let passed = 0;
  for (const file of globSync(join(folder, '**/checks.json'))) {
    const scenario = basename(dirname(file))
      .replace(/^server-/, '')
      .replace(/-\d{4}-\d\d-\d\dT.*$/, '');
    for (const { id, status } of JSON.parse(await readFile(file, 'utf8')) as Check[]) {
      if (status === 'FAILURE' || status === 'WARNING') found.add(`${scenario}/${id}`);
      else if (status === 'SUCCESS') passed += 1;
    }
  }
  return { found, passed };
}

async function conforms(revision: string, url: string): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'));
  await npx([...(suites[revision] as string[]), '--url', url, '--output-dir', folder]);
  const { found, passed } = await resultsIn(folder);
  await rm(folder, { recursive: true });
  const baseline = new Set(Object.keys(expected[revision] ?? {}));
  const news = [
    ...[...found].filter((one) => !baseline.has(one)),
    ...[...baseline].filter((one) => !found.has(one)).map((one) => `${one} (no longer)`),
  ];
  console.log(`conformance ${revision}: ${passed} checks pass, ${found.size} are found, ${news.length} unexplained`);
  for (const one of news) console.log(`  ${one}`);
  return passed > 0 && news.length === 0;
}

async function inspects(era: string, [method = '', ...args]: string[], url: string, key: string): Promise<boolean> {
  const to = [url, '--transport', 'http', '--header', `Authorization: Bearer ${key}`, '--protocol-era', era];
  const { code, output } = await npx([inspector, '--cli', ...to, '--method', method, ...args]);
  console.log(`inspector ${era} ${method} ${args.join(' ')}: ${code === 0 ? 'passes' : `FAILS\n${output}`}`);
  return code === 0;
}

const [baseUrl, key] = process.argv.slice(2);
if (!baseUrl || !key) throw new Error('usage: node test/mcp/conformance.ts <baseUrl> <key>');
const proxy = await startProxy(baseUrl, key);
const outcomes: boolean[] = [];
for (const revision of Object.keys(suites)) outcomes.push(await conforms(revision, proxy.url));
for (const era of ['legacy', 'modern']) {
  for (const inspection of inspections)
    outcomes.push(await inspects(era, inspection, new URL('/mcp', baseUrl).href, key));
}
proxy.close();
process.exitCode = outcomes.every(Boolean) ? 0 : 1;
