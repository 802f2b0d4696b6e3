import type { FeedEvent } from '#lib/events/feed.ts';
import type { Tenant } from '#lib/tenant.ts';

export async function fanOut(_tenant: Tenant, _events: readonly FeedEvent[]): Promise<void> {}
