import type * as v from 'valibot';
import { type AuditEvent, AuditEvents, type AuditQuery } from '#lib/entities/audit-event.ts';
import type { Item } from '#lib/table/entity.ts';
import { listPage, type Page } from '#lib/table/list.ts';
import { listingFrom } from '#lib/table/listing.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

/** The audit trail of the environment in descending order of id; `since` and `until` are inclusive. */
export async function listAuditEvents(
  tx: UnitOfWork,
  query: v.InferOutput<typeof AuditQuery>,
): Promise<Page<v.InferOutput<typeof AuditEvent>>> {
  const page = await listPage(
    tx,
    AuditEvents,
    listingFrom(AuditEvents, query, {
      keyId: (key) => ({ where: { key } }),
      method: (name) => ({ matches: ({ method }) => method.toLowerCase() === name }),
      since: (time) => ({ matches: ({ createdAt }) => createdAt >= time }),
      until: (time) => ({ matches: ({ createdAt }) => createdAt <= time }),
    }),
  );
  return { ...page, items: page.items.map(shown) };
}

const shown = ({ memberId, ...event }: Item<typeof AuditEvents>): v.InferOutput<typeof AuditEvent> => ({
  ...event,
  actor: memberId === null ? { type: 'api_key', id: event.keyId } : { type: 'user', id: String(memberId) },
});
