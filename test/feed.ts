import { system } from '#lib/core/tenant.ts';
import { readFeed } from '#lib/publishing/feed/feed.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { eventually } from '#test/client.ts';

export interface FedEvent {
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts what it is.
  data: any;
}

/** The events about one thing (`contact/5`) in their order, once there are so many: they trail the answer by a moment. */
export const eventsAbout = (workspaceId: number, subject: string, count: number): Promise<FedEvent[]> =>
  eventually(async () => {
    const tx = new UnitOfWork({ workspaceId, env: 'live' }, system);
    const { items } = await readFeed(tx, 0, 100_000, (event) => event.subject === subject);
    const events = items.map(({ body }) => JSON.parse(body)).map(({ event, data }) => ({ event, data }));
    return events.length >= count && events;
  }, `${count} events about ${subject}`);
