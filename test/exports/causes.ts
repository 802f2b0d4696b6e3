import type { CauseEvents } from '#test/events/causing.ts';

export const causeEvents: CauseEvents = async ({ post }) => {
  await post('/v1/exports', { object: 'contacts', format: 'csv' });
};
