import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

interface Package {
  resolved?: string;
  link?: boolean;
  optionalDependencies?: Record<string, string>;
}

const manifests = ['package.json', 'client/package.json', 'cli/package.json'];

const read = async (name: string) => JSON.parse(await readFile(join(import.meta.dirname, '../..', name), 'utf8'));

test('the lock file names every optional package, also those of other platforms: npm ci demands it', async () => {
  const { packages } = (await read('package-lock.json')) as { packages: Record<string, Package> };
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !packages[`${path}/node_modules/${name}`] && !packages[`node_modules/${name}`],
    ),
  );
  expect(missing).toEqual([]);
});

test('the lock file names no registry', async () => {
  const { packages } = (await read('package-lock.json')) as { packages: Record<string, Package> };
  const elsewhere = Object.entries(packages).filter(
    ([, { resolved, link = false }]) => resolved !== undefined && !link,
  );
  expect(elsewhere).toEqual([]);
});

test.each(manifests)('every dependency of %s has an exact version', async (manifest) => {
  const { dependencies, devDependencies, optionalDependencies } = await read(manifest);
  const versions: string[] = Object.values({ ...dependencies, ...devDependencies, ...optionalDependencies });
  expect(versions).not.toEqual([]);
  expect(versions.filter((version) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
});
