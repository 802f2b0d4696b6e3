import type { Tenant } from '#lib/core/tenant.ts';
import { FanOutRetries, FanOuts } from '#lib/entities/webhook-fan-out.ts';
import { giveAgain, giveLeft, type LeftEvents } from '#lib/publishing/feed/backlog.ts';
import { fanOut } from './fan-out.ts';

const backlog: LeftEvents = { left: FanOuts, retries: FanOutRetries, give: (tenant, events) => fanOut(tenant, events) };

/** Makes the deliveries that the publisher has left for a tenant. */
export const fanOutBacklog = (tenant: Tenant): Promise<void> => giveLeft(backlog, tenant);

/** Makes those of an event once more that failed for a reason of its own. */
export const retryFanOut = (tenant: Tenant, sequence: number): Promise<void> => giveAgain(backlog, tenant, sequence);
