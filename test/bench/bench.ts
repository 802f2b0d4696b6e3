import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { coldStart } from '#test/bench/cold.ts';
import { deliveryCpu } from '#test/bench/deliveries.ts';
import { growth } from '#test/bench/growth.ts';
import { inbound } from '#test/bench/inbound.ts';
import { lightness } from '#test/bench/lightness.ts';
import { load } from '#test/bench/load.ts';
import { moving } from '#test/bench/moving.ts';
import { panel } from '#test/bench/panel.ts';
import { pipeline } from '#test/bench/pipeline.ts';
import { type Line, table } from '#test/bench/report.ts';
import { roundTrips } from '#test/bench/round-trips.ts';
import { searches } from '#test/bench/searches.ts';
import { units } from '#test/bench/units.ts';
import { warmCpu } from '#test/bench/warm.ts';
import { readEnvironment, startSystem } from '#test/system.ts';

async function cold(workDir: string): Promise<Line[]> {
  const system = await startSystem(join(workDir, 'system'));
  try {
    return await coldStart(workDir, await readEnvironment(join(workDir, 'system')));
  } finally {
    await system.stop();
  }
}

async function webhooks(workDir: string): Promise<Line[]> {
  const { rawPerCpuSecond, line } = await deliveryCpu();
  return [line, ...(await pipeline(workDir, rawPerCpuSecond))];
}

const parts: Readonly<Record<string, (workDir: string) => Promise<Line[]>>> = {
  cold,
  warm: warmCpu,
  webhooks,
  inbound,
  panel,
  lightness,
  'round-trips': roundTrips,
  units,
};

/** Takes minutes and has no budget: only where it is named. */
const optional: typeof parts = { growth, load, moving, searches };

/** `npm run bench`: every budget as a ratio in one run, or only the parts that are named. Exits 1 when one is missed. */
const asked = process.argv.slice(2);
const known = { ...parts, ...optional };
const unknown = asked.filter((name) => !Object.hasOwn(known, name));
if (unknown.length > 0) throw new Error(`there is no part ${unknown.join(', ')}: ${Object.keys(known).join(', ')}`);
const workDir = await mkdtemp(join(tmpdir(), 'crm-bench-'));
const lines: Line[] = [];
try {
  for (const name of asked.length > 0 ? asked : Object.keys(parts))
    lines.push(...((await known[name]?.(workDir)) ?? []));
} finally {
  await rm(workDir, { recursive: true, force: true });
}
console.log(table(lines));
process.exitCode = lines.every(({ ok }) => ok) ? 0 : 1;
