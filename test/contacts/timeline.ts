import { chunks } from '#lib/core/async.ts';
import { timestamp } from '#lib/core/clock.ts';
import type { Tenant } from '#lib/core/tenant.ts';
import { Activities } from '#lib/entities/activity.ts';
import { indexEntries, keyOf, latestVersion } from '#lib/table/entity.ts';
import { IdPool } from '#lib/table/ids.ts';
import { putRows } from '#lib/table/rows.ts';

const characters = 10_000;

/** Notes of the greatest length, made of a text; past everything that makes a note, which takes its time. */
export async function fillTimeline(tenant: Tenant, contactId: number, count: number, text = 'x'): Promise<void> {
  const ids = new IdPool(tenant);
  await ids.reserve({ [Activities.name]: count });
  const note = text.repeat(characters / text.length).padEnd(characters, text);
  const made = { type: 'Note', field: null, oldValue: null, newValue: null, tagId: null } as const;
  const by = { actorType: 'system', actorUserId: null, actorKeyId: null, createdAt: timestamp() } as const;
  for (const some of chunks(Array.from({ length: count }), 500)) {
    const items = await Promise.all(
      some.map(async () => ({ ...made, ...by, id: await ids.next(Activities), contactId, text: note })),
    );
    await putRows(
      items.flatMap((item) => [
        { ...keyOf(tenant, Activities, item), ...item, v: 1, entityVersion: latestVersion(Activities) },
        ...indexEntries(tenant, Activities, item).values(),
      ]),
    );
  }
}
