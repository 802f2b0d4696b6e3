import type { CauseEvents } from '#test/events/causing.ts';

export const causeEvents: CauseEvents = async ({ live, post }) => {
  const key = await post('/v1/keys', { name: 'a key', scopes: ['deals:read'] });
  await live.delete(`/v1/keys/${key.id}`);
};
