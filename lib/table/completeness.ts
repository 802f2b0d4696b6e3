import { minuteMs, now } from '../clock.ts';
import { type Tenant, tenantKey } from '../tenant.ts';
import { type Entity, latestVersion } from './entity.ts';
import { identity, type Key, rowKey, scopeKey } from './keys.ts';
import { type Row, readRows } from './rows.ts';

/** Up to which version the index entries and counters of an entity are all there, and since which roll-back that holds. */
export interface Mark {
  version: number;
  generation: number;
}

/** Of the table: the versions that the deployed release writes, and how often each entity went back to an older one. */
export const releaseKey: Key = rowKey('release', {});
export const marksKey = (tenant: Tenant, of: Pick<Entity, 'scope'>): Key =>
  rowKey('versions', { scope: scopeKey(tenant, of) });

type Generations = Readonly<Record<string, number>>;

/** Whoever went back to an older release takes the marks back; a process of the newer one that goes on learns of it in a minute. */
const rememberedMs = minuteMs;
const remembered = new Map<string, number>();

/**
 * Whether every row of an entity has what it has written since a version. Until a workspace is reindexed it has not, and who wants to
 * know reads the rows themselves. The first version is always complete; for others one round trip, of which a yes is remembered.
 */
export async function isComplete(tenant: Tenant, of: Entity, since: number): Promise<boolean> {
  if (since === 1) return true;
  const name = `${tenantKey(tenant)} ${of.name} ${since}`;
  if ((remembered.get(name) ?? 0) > now()) return true;
  const mark = (await readMarks(tenant, [of])).get(of);
  if (mark === undefined || mark.version < since) return false;
  remembered.set(name, now() + rememberedMs);
  return true;
}

/** The marks of some entities that still hold. */
export async function readMarks(tenant: Tenant, entities: readonly Entity[]): Promise<Map<Entity, Mark>> {
  const keys = entities.map((of) => marksKey(tenant, of));
  const rows = await readRows([releaseKey, ...keys]);
  const generations = (rows.get(identity(releaseKey))?.['generations'] ?? {}) as Generations;
  return new Map(
    entities.flatMap((of) => {
      const mark = (rows.get(identity(marksKey(tenant, of))) as (Row & Record<string, Mark>) | undefined)?.[of.name];
      return mark && mark.generation === (generations[of.name] ?? 0) ? [[of, mark] as const] : [];
    }),
  );
}

/** The entities of which an index or a counter is not complete from the first version on. */
export const versioned = (entities: readonly Entity[]): Entity[] => entities.filter((of) => latestVersion(of) > 1);
