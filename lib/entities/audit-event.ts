import * as v from 'valibot';
import { dayMs, epochSeconds, shifted } from '#lib/core/clock.ts';
import { choice, count, id, paging, queryText, queryTime, time } from '#lib/core/schema.ts';
import { EventActor } from '#lib/core/tenant.ts';
import { entity } from '#lib/table/entity.ts';

const methods = ['get', 'post', 'patch', 'put', 'delete'] as const;
const keptDays = 90;

const common = {
  id: id(),
  /** Null of what a member did in the panel. */
  keyId: v.nullable(v.string()),
  method: v.string(),
  path: v.string(),
  status: count(),
  ip: v.string(),
  userAgent: v.nullable(v.string()),
  requestId: v.string(),
  resourceType: v.string(),
  resourceId: v.nullable(id()),
  createdAt: time(),
};

/** One write, or one refused call of a known key or member (contract sections 18 and 27). */
export const AuditEvent = v.pipe(v.object({ ...common, actor: EventActor }), v.title('AuditEvent'));

export const AuditQuery = v.object({
  ...paging,
  keyId: v.optional(queryText()),
  method: v.optional(choice(methods)),
  since: v.optional(queryTime()),
  until: v.optional(queryTime()),
});

/** A call that changed something, or was refused. */
export const AuditEvents = entity({
  name: 'audit-event',
  schema: v.object({ ...common, memberId: v.optional(v.nullable(id()), null) }),
  indexes: {
    key: ({ keyId }) => keyId,
  },
  expiresAtSeconds: ({ createdAt }) => epochSeconds(new Date(shifted(createdAt, keptDays * dayMs))),
});
