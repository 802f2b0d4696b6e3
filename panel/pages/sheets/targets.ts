import type { Schema } from '../../../client/index.ts';
import { importTargets } from '../../api/import-targets.ts';
import type { Scope } from '../../app/session.ts';
import { worded } from '../../app/show.ts';
import { t } from '../../app/texts.ts';

export type ImportObject = keyof typeof importTargets;

export const objects = Object.keys(importTargets) as ImportObject[];

export const writeScopes: Readonly<Record<ImportObject, Scope>> = {
  contacts: 'contacts:write',
  companies: 'companies:write',
  deals: 'deals:write',
  tasks: 'tasks:write',
  notes: 'contacts:write',
};

/** The object of custom fields; notes have none. */
export const fieldObjects = { contacts: 'contact', companies: 'company', deals: 'deal', tasks: 'task' } as const;

const titleOf = (target: string): string =>
  (t.sheets.targets as Readonly<Record<string, string>>)[target] ?? worded(target);

/** Returns the target that keeps a column as metadata under its header; undefined for notes, which have none. */
function metadataOf(object: ImportObject, header: string): string | undefined {
  const key = header
    .replaceAll(/[^A-Za-z0-9_.-]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, maxKeyCharacters);
  return object === 'notes' || key === '' ? undefined : `${metadata}${key}`;
}
const metadata = 'metadata.';
const maxKeyCharacters = 40;

const titleOfMetadata = (target: string) =>
  target.startsWith(metadata) ? t.sheets.metadataOf(target.slice(metadata.length)) : target;

/** Returns what a column can become, with its name: own fields, then custom ones, metadata, and one that was suggested. */
export function targetsOf(
  object: ImportObject,
  fields: readonly Schema<'Field'>[],
  header: string,
  suggested: string | null,
): (readonly [target: string, title: string])[] {
  const own = importTargets[object].targets.map((target) => [target, titleOf(target)] as const);
  const custom = fields
    .filter(({ isArchived }) => !isArchived)
    .map(({ slug, title }) => [`fields.${slug}`, title] as const);
  const all = [...own, ...custom];
  const others = [metadataOf(object, header), suggested].flatMap((target) =>
    target == null || all.some(([known]) => known === target) ? [] : [target],
  );
  return [...all, ...[...new Set(others)].map((target) => [target, titleOfMetadata(target)] as const)];
}

/** Returns by which of the mapped fields two records can be told to be the same. */
export function keysOf(
  object: ImportObject,
  fields: readonly Schema<'Field'>[],
  mapped: readonly string[],
): (readonly [key: string, title: string])[] {
  const unique = fields.filter(({ isUnique }) => isUnique).map(({ slug, title }) => [`fields.${slug}`, title] as const);
  const own = importTargets[object].matchKeys.map((key) => [key, titleOf(key)] as const);
  const kept = mapped.filter((target) => importTargets[object].matchesMetadata && target.startsWith(metadata));
  const pairs = kept.map((target) => [target, titleOfMetadata(target)] as const);
  return [...own, ...unique, ...pairs].filter(
    ([key]) => mapped.includes(key) || (key === 'domain' && mapped.includes('domains')),
  );
}
