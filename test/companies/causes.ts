import type { CauseEvents } from '#test/events/causing.ts';

export const causeEvents: CauseEvents = async ({ live, post }) => {
  const [company, other] = [await post('/v1/companies', { name: 'One' }), await post('/v1/companies', { name: 'Two' })];
  await live.patch(`/v1/companies/${company.id}`, { website: 'https://example.com' }, 200);
  await post(`/v1/companies/${company.id}/activities`, { text: 'Moves next year.' });
  await live.post(`/v1/companies/${company.id}/merge`, { sourceCompanyId: other.id }, 200);
};
