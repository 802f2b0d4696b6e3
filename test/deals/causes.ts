import type { CauseEvents } from '#test/events/causing.ts';

export const causeEvents: CauseEvents = async ({ live, post, contactId }) => {
  const deal = await post('/v1/deals', { title: 'a deal', contactId });
  await live.patch(`/v1/deals/${deal.id}`, { value: 7 });
  await post(`/v1/deals/${deal.id}/stage`, { stage: 'qualified' });
};
