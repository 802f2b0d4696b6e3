import type { CauseEvents } from '#test/events/causing.ts';

export const causeEvents: CauseEvents = async ({ live, post }) => {
  const field = await post('/v1/fields', { object: 'contact', slug: 'budget', title: 'Budget', type: 'number' });
  await live.patch(`/v1/fields/${field.id}`, { title: 'The budget' }, 200);
};
