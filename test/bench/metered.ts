import { startMeter } from '#test/bench/meter.ts';
import { startOwnEngine } from '#test/engine.ts';
import { startSystem } from '#test/system.ts';

/** Starts a system with the demo whose calls of the table are metered, until it is disposed of. */
export async function startMetered(dataDir: string, settings: Record<string, string> = {}) {
  const engine = await startOwnEngine(dataDir);
  const meter = await startMeter(engine.url);
  const system = await startSystem(dataDir, { DYNAMODB_ENDPOINT: meter.url, ...settings }, []);
  return {
    ...{ dataDir, meter, system, baseUrl: system.baseUrl },
    async [Symbol.asyncDispose]() {
      await system.stop();
      await engine.stop();
      meter.close();
    },
  };
}
