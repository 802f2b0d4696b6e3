import { globSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');

/** The pages of our own; the others in docs/ are the contract. */
export const pages: readonly string[] = globSync('{*.md,docs/*.md,examples/*/README.md}', { cwd: root })
  .filter((name) => !/contract|public-api/.test(name))
  .sort();
