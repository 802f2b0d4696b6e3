import type { CauseEvents } from '#test/events/causing.ts';

export const causeEvents: CauseEvents = async ({ live, post, contactId }) => {
  const deal = await post('/v1/deals', { title: 'a deal', contactId });
  await live.patch(`/v1/deals/${deal.id}`, { value: 7 });
  await post(`/v1/deals/${deal.id}/stage`, { stage: 'qualified' });
  const board = await post('/v1/pipelines', { name: 'Partners', columns: [{ name: 'Call', stage: 'lead' }] });
  await live.patch(`/v1/pipelines/${board.id}`, { name: 'Resellers' }, 200);
};
