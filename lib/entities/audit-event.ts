import * as v from 'valibot';
import { dayMs, epochSeconds, shifted } from '#lib/clock.ts';
import { choice, count, id, paging, queryText, time, timeInput } from '#lib/schema.ts';
import { entity } from '#lib/table/entity.ts';

const methods = ['get', 'post', 'patch', 'put', 'delete'] as const;
const keptDays = 90;

/** One write, or one refused call of a known key (contract section 18). */
export const AuditEvent = v.pipe(
  v.object({
    id: id(),
    keyId: v.string(),
    method: v.string(),
    path: v.string(),
    status: count(),
    ip: v.string(),
    userAgent: v.nullable(v.string()),
    requestId: v.string(),
    resourceType: v.string(),
    resourceId: v.nullable(id()),
    createdAt: time(),
  }),
  v.title('AuditEvent'),
);

export const AuditQuery = v.object({
  ...paging,
  keyId: v.optional(queryText()),
  method: v.optional(choice(methods)),
  since: v.optional(timeInput()),
  until: v.optional(timeInput()),
});

/** A call that changed something, or was refused. */
export const AuditEvents = entity({
  name: 'audit-event',
  schema: AuditEvent,
  indexes: { key: ({ keyId }) => keyId, method: ({ method }) => method.toLowerCase() },
  expiresAtSeconds: ({ createdAt }) => epochSeconds(new Date(shifted(createdAt, keptDays * dayMs))),
});
