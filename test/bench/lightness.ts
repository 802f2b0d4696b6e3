import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadRoutes } from '#infra/functions.ts';
import { demoClient } from '#test/bench/demo.ts';
import { atMost, beside, type Line, median, quantile } from '#test/bench/report.ts';
import { cpuSeconds, descendants } from '#test/processes.ts';
import { startSystem } from '#test/system.ts';

const atRestMs = 10_000;
const warmCalls = 400;
const together = 50;
/** Ids are per tenant and small, so nothing has this one. */
const nowhere = '2147483647';

/** What `npm start` takes of a machine: memory of all its processes together, and time of calls that are the first of their route, or warm. */
export async function lightness(workDir: string): Promise<Line[]> {
  const dataDir = join(workDir, 'light');
  const system = await startSystem(dataDir, { RATE_LIMIT_PER_MINUTE: '1000000' }, []);
  try {
    const pid = system.process.pid as number;
    const processes = () => [pid, ...descendants(pid)];
    const memoryMb = () => sum(processes().map(residentMb));
    const cpuMs = () => 1000 * sum(processes().map(cpuSeconds));
    const crm = await demoClient(dataDir, system.baseUrl);
    const routes = (await loadRoutes()).map(({ route }) => route).filter(({ path }) => path.startsWith('/v1/'));
    const pathOf = (path: string) => path.replaceAll(/\{[^}]+\}/g, nowhere);
    const elapsedMs = async (work: () => Promise<unknown>) => {
      const from = performance.now();
      await work();
      return performance.now() - from;
    };

    await sleep(atRestMs);
    const uncalled = memoryMb();
    const reads = routes.filter(({ method }) => method === 'GET').slice(0, together);
    const burstMs = await elapsedMs(() => Promise.all(reads.map(({ path }) => crm.get(pathOf(path)))));
    const firstMs: number[] = [];
    for (const route of routes.filter((one) => !reads.includes(one)))
      firstMs.push(
        await elapsedMs(() => crm.call(route.method, pathOf(route.path), route.method === 'GET' ? {} : { body: {} })),
      );
    await sleep(atRestMs);
    const called = memoryMb();

    const { items } = (await crm.get('/v1/contacts', { limit: 1 })).body;
    const get = () => crm.get(`/v1/contacts/${items[0].id}`);
    for (let call = 0; call < warmCalls; call += 1) await get();
    const before = cpuMs();
    for (let call = 0; call < warmCalls; call += 1) await get();
    const perGet = (cpuMs() - before) / warmCalls;

    return [
      atMost('memory of npm start, no route called', uncalled, 250, ' MB'),
      atMost('every route called once', called, 600, ' MB'),
      atMost('first call of a route, median', median(firstMs), 150, ' ms'),
      beside('p95', `${quantile(firstMs, 0.95).toFixed(0)} ms`),
      atMost(`first GETs of ${reads.length} routes at once, until the last`, burstMs, 1000, ' ms'),
      atMost('CPU of a warm GET, all processes', perGet, 6, ' ms'),
    ];
  } finally {
    await system.stop();
  }
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** What a process has in memory; pages that several share count for each. */
const residentMb = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
