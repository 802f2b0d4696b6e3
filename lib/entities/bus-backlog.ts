import { type Tenant, tenantKey } from '#lib/core/tenant.ts';
import { entity } from '#lib/table/entity.ts';
import { EventsLeft, FailedEvent } from './webhook-fan-out.ts';

const group = (tenant: Tenant) => `${tenantKey(tenant)}/bus-backlog`;

/** From where to where events have yet to be put on the operator's event bus, which could not be reached. One row a tenant. */
export const BusBacklogs = entity({
  name: 'bus-backlog',
  schema: EventsLeft,
  timer: ({ at }, tenant) => ({ at, queue: 'bus', message: {}, group: group(tenant), isForGroup: true }),
});

/** An event that the bus refuses, and is tried by itself; found by its sequence. */
export const BusRetries = entity({
  name: 'bus-retry',
  schema: FailedEvent,
  timer: ({ id, at }, tenant) => ({ at, queue: 'bus', message: { sequence: id }, group: group(tenant) }),
});
