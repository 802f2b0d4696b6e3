import { globSync } from 'node:fs';
import { join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Need } from '#lib/core/needs.ts';
import type { Route } from '#lib/http/route.ts';
import type { WorkerSettings } from '#lib/queues/worker.ts';

export interface FunctionFile {
  /** `contacts-create` for `functions/contacts/create.ts`. */
  name: string;
  file: string;
  /** The folder: functions of one domain share a role. */
  domain: string;
}
export interface LoadedFunction extends FunctionFile {
  needs: readonly Need[];
}
export type RouteFunction = LoadedFunction & { route: Route };
export type WorkerFunction = LoadedFunction & { worker: WorkerSettings };

const root = join(import.meta.dirname, '../functions');
const isWorker = ({ domain }: FunctionFile) => domain === 'workers';

/** Every function, sorted by name, without importing any: a file in a folder of functions/. What lies deeper or higher is none. */
export function listFunctions(folder = root): FunctionFile[] {
  return globSync('*/*.ts', { cwd: folder })
    .map((path) => {
      const parts = path.replace(/\.ts$/, '').split(sep);
      return { name: parts.join('-'), file: join(folder, path), domain: parts[0] as string };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Every endpoint with its route. Throws when a file has none or two answer the same method and path. */
export async function loadRoutes(folder = root): Promise<RouteFunction[]> {
  const files = listFunctions(folder).filter((file) => !isWorker(file));
  const routes = await Promise.all(
    files.map(async (file) => {
      const route = await declared(file, 'route');
      return { ...file, needs: route.needs ?? [], route };
    }),
  );
  refuseDuplicates(routes);
  return routes;
}

/** Every function that a queue, a stream, a rule or a bucket starts. */
export function loadWorkers(folder = root): Promise<WorkerFunction[]> {
  const files = listFunctions(folder).filter(isWorker);
  return Promise.all(
    files.map(async (file) => {
      const worker = await declared(file, 'worker');
      return { ...file, needs: worker.needs ?? [], worker };
    }),
  );
}

interface Declarations {
  route: Route;
  worker: WorkerSettings;
}

async function declared<Key extends keyof Declarations>({ file }: FunctionFile, key: Key): Promise<Declarations[Key]> {
  const { handler } = (await import(pathToFileURL(file).href)) as { handler?: Partial<Declarations> };
  if (typeof handler !== 'function') throw new Error(`${file} exports no function named handler`);
  const declaration = handler[key];
  if (!declaration) throw new Error(`${file}: its handler declares no ${key}`);
  return declaration;
}

function refuseDuplicates(routes: readonly RouteFunction[]) {
  const seen = new Map<string, string>();
  for (const { file, route } of routes) {
    const key = `${route.method} ${route.path.replaceAll(/\{[^{}]+\}/g, '{}')}`;
    const other = seen.get(key);
    if (other) throw new Error(`${file} and ${other} both answer ${route.method} ${route.path}`);
    seen.set(key, file);
  }
}
