import { storeMessage } from '#lib/messages/store.ts';
import type { CauseEvents } from '#test/events/causing.ts';

export const causeEvents: CauseEvents = async ({ live, post, asOperator, contactId }) => {
  const hello = { channel: 'telegram', direction: 'inbound', status: 'received', body: 'Hello' } as const;
  await asOperator((tx) => storeMessage(tx, { ...hello, contactId }));
  const { body } = await live.get('/v1/conversations');
  await post(`/v1/conversations/${body.items[0].id}/state`, { state: 'done' });
};
