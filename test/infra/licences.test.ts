import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

interface Locked {
  license?: string;
  dev?: boolean;
  devOptional?: boolean;
  /** A package of this repository. */
  link?: boolean;
}

const { packages } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package-lock.json'), 'utf8')) as {
  packages: Record<string, Locked>;
};

/** A company may deploy it without giving away code of its own. */
const permissive = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'MIT-0'];

/** One of several is enough. */
const isPermissive = (license = '') =>
  license
    .replaceAll(/[()]/g, '')
    .split(' OR ')
    .some((one) => permissive.includes(one));

test('deployed packages have permissive licenses alone', () => {
  const deployed = Object.entries(packages).filter(
    ([path, { dev, devOptional, link }]) => path.startsWith('node_modules/') && !link && !dev && !devOptional,
  );
  expect(deployed.length).toBeGreaterThan(50);
  expect(
    deployed.filter(([, { license }]) => !isPermissive(license)).map(([path, { license }]) => [path, license]),
  ).toEqual([]);
});

test('a license with further demands is not permissive', () => {
  expect(['GPL-3.0-only', 'MPL-2.0', undefined, 'MIT AND GPL-2.0'].filter(isPermissive)).toEqual([]);
  expect(isPermissive('(MIT OR GPL-3.0-or-later)')).toBe(true);
});
