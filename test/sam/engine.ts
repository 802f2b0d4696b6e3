import { execFile, spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

export const run = promisify(execFile);

/** Something that is not on this machine. */
export class Missing extends Error {}

/** A container engine with the image in which sam runs the functions. */
export interface Engine {
  /** For `docker` and `sam`. */
  environment: NodeJS.ProcessEnv;
  /** How a container calls this machine. */
  hostAddress: string;
  stop(): Promise<void>;
}

const ownNetwork = '172.29.77.1/24';
const startMs = 30_000;
const architecture = process.arch === 'arm64' ? 'arm64' : 'x86_64';
/** What sam looks for, of the runtime in the template; the real one serves as well. */
const image = `public.ecr.aws/lambda/nodejs:24-${architecture}`;

/** The engine that runs here, or one of its own where there is its program. Throws Missing. */
export async function startEngine(): Promise<Engine> {
  await found('docker');
  const known = await answering(process.env);
  if (known) return withImage({ ...known, stop: async () => {} });
  if (process.getuid?.() !== 0) throw new Missing('no container engine runs here, and only root may start one');
  await found('dockerd');
  const dir = await mkdtemp(join(tmpdir(), 'crm-engine-'));
  const socket = `unix://${dir}/socket`;
  // Neither its own rules of the firewall nor the networks of another engine are touched.
  const rules = ['--iptables=false', '--ip6tables=false', '--bip', ownNetwork];
  const places = ['--data-root', `${dir}/data`, '--exec-root', `${dir}/exec`, '--pidfile', `${dir}/pid`, '-H', socket];
  const daemon = spawn('dockerd', [...rules, ...places], { stdio: 'ignore' });
  const ended = new Promise((resolve) => daemon.once('exit', resolve));
  const stop = async () => {
    daemon.kill('SIGTERM');
    await ended;
    await rm(dir, { recursive: true, force: true });
  };
  const environment = { ...process.env, DOCKER_HOST: socket };
  for (const deadlineMs = Date.now() + startMs; Date.now() < deadlineMs; await sleep(500)) {
    const own = await answering(environment);
    if (own) return withImage({ ...own, stop });
    if (daemon.exitCode !== null) break;
  }
  await stop();
  throw new Missing('a container engine cannot be started here');
}

/** Throws Missing. */
export const found = (program: string): Promise<unknown> =>
  run(program, ['--version']).catch(() => {
    throw new Missing(`there is no ${program}`);
  });

async function answering(environment: NodeJS.ProcessEnv): Promise<Omit<Engine, 'stop'> | undefined> {
  const format = '{{(index .IPAM.Config 0).Gateway}}';
  try {
    const { stdout } = await run('docker', ['network', 'inspect', 'bridge', '-f', format], { env: environment });
    return { environment, hostAddress: stdout.trim() || (ownNetwork.split('/')[0] as string) };
  } catch {
    return undefined;
  }
}

/** Without AWS's own image one is made of this Node and what it is linked with, for as long as it is needed. */
async function withImage(engine: Engine): Promise<Engine> {
  const { environment: env, stop } = engine;
  const docker = (...args: string[]) => run('docker', args, { env });
  try {
    if ((await docker('images', '-q', image)).stdout.trim() !== '') return engine;
    if (process.platform !== 'linux') throw new Missing(`there is no image ${image}`);
    const root = await mkdtemp(join(tmpdir(), 'crm-image-'));
    try {
      await fill(root);
      const archive = `${root}.tar`;
      await run('tar', ['-C', root, '-cf', archive, '.']);
      await docker('import', '-c', 'ENTRYPOINT ["/var/runtime/bootstrap"]', '-c', 'WORKDIR /var/task', archive, image);
      await rm(archive);
    } finally {
      await rm(root, { recursive: true });
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    ...engine,
    async stop() {
      await docker('rmi', '-f', image);
      await stop();
    },
  };
}

async function fill(root: string): Promise<void> {
  const put = async (from: string, to: string) => {
    await mkdir(dirname(join(root, to)), { recursive: true });
    await cp(await realpath(from), join(root, to));
  };
  const { stdout: busybox } = await run('which', ['busybox']).catch(() => {
    throw new Missing('there is no busybox');
  });
  await put(busybox.trim(), 'bin/busybox');
  for (const applet of ['sh', 'env', 'mkdir']) await symlink('busybox', join(root, 'bin', applet));
  await put(process.execPath, 'usr/bin/node');
  await put(join(import.meta.dirname, 'bootstrap.cjs'), 'var/runtime/bootstrap');
  const { stdout: linked } = await run('ldd', [process.execPath]);
  for (const [library] of linked.matchAll(/\/\S+/g)) await put(library, library);
  for (const place of ['tmp', 'var/task']) await mkdir(join(root, place), { recursive: true });
}
