import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * `npm run test:oracles`: compares the local cloud with other implementations of AWS, those that are on PATH. They
 * come by `pip install 'moto[server]==5.2.5' cfn-lint==1.58.0`; another moto may differ in other places.
 */
const startMs = 30_000;

const onPath = (command: string) =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, command))
    .find(isExecutable);

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function startMoto(command: string) {
  const url = `http://127.0.0.1:${await freePort()}`;
  const cwd = mkdtempSync(join(tmpdir(), 'crm-moto-'));
  const process = spawn(command, ['-H', '127.0.0.1', '-p', new URL(url).port], { cwd, stdio: 'ignore' });
  const stop = () => {
    process.kill();
    rmSync(cwd, { recursive: true, force: true });
  };
  const untilMs = Date.now() + startMs;
  while (
    !(await fetch(url).then(
      () => true,
      () => false,
    ))
  ) {
    if (process.exitCode === null && Date.now() < untilMs) await sleep(100);
    else {
      stop();
      throw new Error(`${command} does not start`);
    }
  }
  return { url, stop };
}

const [motoServer, cfnLint] = ['moto_server', 'cfn-lint'].map(onPath);
const moto = motoServer && !process.env['MOTO_URL'] ? await startMoto(motoServer) : undefined;
const env = { ...process.env, ...(moto && { MOTO_URL: moto.url }), ...(cfnLint && { CFN_LINT: cfnLint }) };
const vitest = spawn('vitest', ['run', '--project', 'nightly', '--reporter=verbose'], { env, stdio: 'inherit' });
const [code] = await once(vitest, 'exit');
moto?.stop();
process.exitCode = code ?? 1;
