import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { StartProblem } from './problem.ts';
import type { Deployment } from './template.ts';

/** File with which tools find a running system. */
export interface SystemFile {
  pid: number;
  baseUrl: string;
  /** The variables with which code outside the functions works on this system. */
  env: Record<string, string>;
}

export interface Demo {
  workspaceId: number;
  liveKey: string;
  testKey: string;
}

export type DemoFile = { baseUrl: string } & Partial<Demo>;

const systemPath = (dataDir: string) => join(dataDir, 'system.json');
const demoPath = (dataDir: string) => join(dataDir, 'demo.json');

/** The folder and everything that an earlier start has left in it are for their owner alone afterwards. */
export function createDataDir(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    closeToOthers(dataDir);
    const isOurs = existsSync(join(dataDir, 'lock'));
    if (isOurs) for (const name of globSync('**/*', { cwd: dataDir })) closeToOthers(join(dataDir, name));
  } catch (error) {
    throw new StartProblem(`DATA_DIR ${dataDir} cannot be used: ${(error as Error).message}`);
  }
}

export function closeToOthers(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found && !found.isSymbolicLink() && (found.mode & 0o077) !== 0) chmodSync(path, found.mode & 0o700);
}

export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
}

/**
 * Returns the credentials of the system in this folder, which are made at its first start. They stay the same because DynamoDB Local
 * keeps one database for each access key.
 */
export function credentialsOf(dataDir: string): Credentials {
  const path = join(dataDir, 'credentials.json');
  if (existsSync(path)) return readJson(path);
  const [accessKeyId, secretAccessKey] = [randomBytes(16), randomBytes(20)].map((bytes) => bytes.toString('hex'));
  const credentials = { accessKeyId: `LOCAL${accessKeyId?.toUpperCase()}`, secretAccessKey: `${secretAccessKey}` };
  writeJson(path, credentials);
  return credentials;
}

export const writeSystemFile = (dataDir: string, system: SystemFile) => writeJson(systemPath(dataDir), system);

export function readSystemFile(dataDir: string): SystemFile {
  if (!existsSync(systemPath(dataDir))) throw new StartProblem(`no system has run on DATA_DIR ${dataDir}: npm start`);
  return readJson(systemPath(dataDir));
}

/** For `sam local`. */
export const writeSamTemplate = (dataDir: string, template: object) =>
  writeJson(join(dataDir, 'sam-template.json'), template);

export const readDemoFile = (dataDir: string): DemoFile | undefined =>
  existsSync(demoPath(dataDir)) ? readJson(demoPath(dataDir)) : undefined;

export const writeDemoFile = (dataDir: string, demo: DemoFile) => writeJson(demoPath(dataDir), demo);

/** Every variable that any function is given, and where the services are. */
export function environmentOf({ functions }: Deployment, cloudEnvironment: Record<string, string>) {
  const { NODE_OPTIONS: _, ...variables } = Object.assign({}, ...functions.map(({ environment }) => environment));
  return { ...cloudEnvironment, ...variables } as Record<string, string>;
}

function readJson<T>(path: string): T {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new StartProblem(`${path} is broken: ${(error as Error).message}`);
  }
}

function writeJson(path: string, value: unknown): void {
  writeFileSync(`${path}.part`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.part`, path);
}
