import type { CauseEvents } from '#test/events/causing.ts';

export const causeEvents: CauseEvents = async ({ post }) => {
  for (const [path, least] of [
    ['/v1/contacts', { name: 'Ada' }],
    ['/v1/companies', { name: 'Engines' }],
    ['/v1/deals', { title: 'Engine' }],
    ['/v1/tasks', { title: 'Build it' }],
  ] as const) {
    const { id } = await post(path, least);
    await post(`${path}/${id}/archive`, {});
    await post(`${path}/${id}/restore`, {});
  }
};
