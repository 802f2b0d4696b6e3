import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Demo } from './demo.ts';
import { StartProblem } from './problem.ts';
import type { Deployment } from './template.ts';

/** What a running system tells tools about itself. */
export interface SystemFile {
  pid: number;
  baseUrl: string;
  /** The variables with which code outside the functions works on this system. */
  env: Record<string, string>;
}

export type DemoFile = { baseUrl: string } & Partial<Demo>;

const systemPath = (dataDir: string) => join(dataDir, 'system.json');
const demoPath = (dataDir: string) => join(dataDir, 'demo.json');

export function createDataDir(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true });
  } catch (error) {
    throw new StartProblem(`DATA_DIR ${dataDir} cannot be used: ${(error as Error).message}`);
  }
}

export const writeSystemFile = (dataDir: string, system: SystemFile) => writeJson(systemPath(dataDir), system);

export function readSystemFile(dataDir: string): SystemFile {
  if (!existsSync(systemPath(dataDir))) throw new StartProblem(`no system has run on DATA_DIR ${dataDir}: npm start`);
  return readJson(systemPath(dataDir));
}

export const readDemoFile = (dataDir: string): DemoFile | undefined =>
  existsSync(demoPath(dataDir)) ? readJson(demoPath(dataDir)) : undefined;

export const writeDemoFile = (dataDir: string, demo: DemoFile) => writeJson(demoPath(dataDir), demo);

/** Everything that any function is told, and where the services are. */
export function environmentOf({ functions }: Deployment, sdkEnvironment: Record<string, string>) {
  const { NODE_OPTIONS: _, ...variables } = Object.assign({}, ...functions.map(({ environment }) => environment));
  return { ...sdkEnvironment, ...variables } as Record<string, string>;
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
