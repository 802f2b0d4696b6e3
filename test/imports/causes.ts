import type { CauseEvents } from '#test/events/causing.ts';
import { imported } from './importing.ts';

export const causeEvents: CauseEvents = async ({ live }) => {
  await imported(live, 'Name\nRow\n', { object: 'contacts', mapping: { Name: 'name' } });
};
