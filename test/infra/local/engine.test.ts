import { mkdirSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { findEngine } from '#infra/local/engine/binary.ts';
import { runEngine } from '#infra/local/engine/process.ts';
import { temporaryFolder } from '#test/infra/local/cloud-assembly.ts';

const folder = temporaryFolder();
afterAll(folder.remove);

test('an engine whose port somebody else has taken listens on another', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => taken.once('listening', resolve));
  const takenPort = (taken.address() as AddressInfo).port;
  const free = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => free.once('listening', resolve));
  const freePort = (free.address() as AddressInfo).port;
  await new Promise((resolve) => free.close(resolve));
  mkdirSync(join(folder.path, 'engine'), { recursive: true });

  const engine = await runEngine({
    binary: findEngine(),
    host: '127.0.0.1',
    databasePath: join(folder.path, 'engine', 'table.sqlite'),
    onGivenUp: (error) => {
      throw error;
    },
    candidates: [takenPort, freePort],
  });
  taken.close();
  expect(engine.port).toBe(freePort);
  expect((await fetch(`http://127.0.0.1:${engine.port}/`)).status).toBeGreaterThan(0);
  await engine.stop();
});
