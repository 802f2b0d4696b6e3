import * as v from 'valibot';
import { secondMs, shifted, timestamp } from '../clock.ts';
import { env } from '../env.ts';
import { log } from '../log.ts';
import { environments, system, type Tenant } from '../tenant.ts';
import { type Mark, marksKey, releaseKey, versioned } from './completeness.ts';
import { type Entity, latestVersion } from './entity.ts';
import { rowKey } from './keys.ts';
import { startReindexing } from './reindex.ts';
import { putRows, readRow, removeRows } from './rows.ts';
import { transact } from './transact.ts';
import { writeIf } from './update.ts';

/** What the table knows of the release that is deployed. */
const Release = v.object({
  /** Of the entities that have more than one. */
  versions: v.record(v.string(), v.number()),
  /** How often each of them went back to an older one: what was complete before is not any more. */
  generations: v.record(v.string(), v.number()),
  /** When these versions were first seen. */
  at: v.string(),
  /** The last workspace whose reindexing was started. */
  started: v.number(),
  /** Of this row. */
  revision: v.number(),
});
type Release = v.InferOutput<typeof Release>;

const none: Release = { versions: {}, generations: {}, at: '', started: 0, revision: 0 };
/** When the versions of a table's first release were first seen: nobody before it has written anything. */
const beginning = '1970-01-01T00:00:00Z';
/** Workspaces whose reindexing starts in one go. */
const maxStarted = 5;

/**
 * Looks whether the release that runs writes other versions of entities than the table knows of. After newer ones, and a grace in which
 * functions of the old release may still write, the reindexing of every workspace starts, a few at a time; after a roll-back nothing
 * that the newer release called complete is so any more, at once. One read when there is nothing to do.
 */
export async function followRelease(
  entities: readonly Entity[],
  graceMs: number = env('RELEASE_GRACE_SECONDS') * secondMs,
): Promise<void> {
  const known = await readRelease();
  const versions = versionsOf(entities);
  const names = [...new Set([...Object.keys(versions), ...Object.keys(known.versions)])];
  const changed = names.filter((name) => versions[name] !== known.versions[name]);
  if (changed.length > 0) {
    const lower = changed.filter((name) => (versions[name] ?? 1) < (known.versions[name] ?? 1));
    const generations = { ...known.generations };
    for (const name of lower) generations[name] = (generations[name] ?? 0) + 1;
    log().info('a release with other versions runs', { versions, rolledBack: lower });
    const isFirst = known.revision === 0 && (await lastWorkspaceId()) === 0;
    await writeRelease({ ...known, versions, generations, at: isFirst ? beginning : timestamp(), started: 0 });
  } else if (names.length > 0 && timestamp() >= shifted(known.at, graceMs)) await startSome(entities, known);
}

async function startSome(entities: readonly Entity[], known: Release): Promise<void> {
  const last = await lastWorkspaceId();
  if (known.started >= last) return;
  let { started } = known;
  while (started < Math.min(last, known.started + maxStarted)) {
    const tenants = environments.map((name): Tenant => ({ workspaceId: started + 1, env: name }));
    const isOnItsWay = await Promise.all(
      tenants.map((tenant) => transact(tenant, system, (tx) => startReindexing(tx, entities))),
    );
    if (!isOnItsWay.every(Boolean)) break;
    started += 1;
  }
  await writeRelease({ ...known, started });
}

/** Marks all as complete in a workspace that is made now: nothing of it was written by an older release. */
export async function markNew(workspaceId: number, entities: readonly Entity[]): Promise<void> {
  const isFirst = workspaceId === 1;
  let release = await readRelease();
  if (isFirst && release.revision === 0) {
    release = { ...none, versions: versionsOf(entities), at: beginning };
    await writeRelease(release);
  }
  const { versions, generations, at } = release;
  const isSettled = at !== '' && timestamp() >= shifted(at, env('RELEASE_GRACE_SECONDS') * secondMs);
  // A sweep may have seen the first release between this workspace's number and now.
  if (!(isSettled || (isFirst && release.revision <= 1)) || Object.keys(versions).length === 0) return;
  const marks: Record<string, Mark> = {};
  for (const [name, version] of Object.entries(versions)) marks[name] = { version, generation: generations[name] ?? 0 };
  await putRows(marksOf(workspaceId).map((key) => ({ ...key, ...marks })));
}

/** Nothing is complete any more, until the workspace is reindexed: it is filled with rows of who knows which release. */
export const unmark = (workspaceId: number) => removeRows(marksOf(workspaceId));

/** The marks of a workspace: of both environments, and of what they share. */
const marksOf = (workspaceId: number) => [
  marksKey({ workspaceId, env: 'live' }, { scope: 'workspace' }),
  ...environments.map((name) => marksKey({ workspaceId, env: name }, {})),
];

const versionsOf = (entities: readonly Entity[]): Record<string, number> =>
  Object.fromEntries(versioned(entities).map((of) => [of.name, latestVersion(of)]));

const lastWorkspaceId = async () => Number((await readRow(rowKey('workspaceIds', {})))?.['last'] ?? 0);

async function readRelease(): Promise<Release> {
  const row = await readRow(releaseKey);
  return row === undefined ? none : v.parse(Release, row);
}

/** Writes the row unless somebody else has meanwhile: then the next look sees it. */
async function writeRelease(release: Release): Promise<void> {
  const revision = release.revision + 1;
  await writeIf({
    key: releaseKey,
    item: { ...release, revision },
    if: { any: [{ absent: ['pk'] }, { is: { revision: release.revision } }] },
  });
}
