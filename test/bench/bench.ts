import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { coldStart } from '#test/bench/cold.ts';
import { deliveryCpu } from '#test/bench/deliveries.ts';
import { inbound } from '#test/bench/inbound.ts';
import { lightness } from '#test/bench/lightness.ts';
import { panel } from '#test/bench/panel.ts';
import { pipeline } from '#test/bench/pipeline.ts';
import { type Line, table } from '#test/bench/report.ts';
import { roundTrips } from '#test/bench/round-trips.ts';
import { units } from '#test/bench/units.ts';
import { warmCpu } from '#test/bench/warm.ts';
import { readEnvironment, startSystem } from '#test/system.ts';

/** `npm run bench`: every budget as a ratio in one run. Exits 1 when one is missed. */
const workDir = await mkdtemp(join(tmpdir(), 'crm-bench-'));
const lines: Line[] = [];
try {
  const system = await startSystem(join(workDir, 'system'));
  lines.push(...(await coldStart(workDir, await readEnvironment(join(workDir, 'system')))));
  await system.stop();
  lines.push(...(await warmCpu()));
  const { rawPerCpuSecond, line } = await deliveryCpu();
  lines.push(line, ...(await pipeline(workDir, rawPerCpuSecond)), ...(await inbound(workDir)));
  lines.push(...(await panel(workDir)));
  lines.push(...(await lightness(workDir)), ...(await roundTrips(workDir)), ...(await units(workDir)));
} finally {
  await rm(workDir, { recursive: true, force: true });
}
console.log(table(lines));
process.exitCode = lines.every(({ ok }) => ok) ? 0 : 1;
