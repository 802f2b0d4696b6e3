import { filter } from '../../parts/filters.tsx';
import { localDate } from '../../parts/local-time.ts';
import { contactFilter } from '../../parts/only-of-contact.tsx';
import type { Wanted } from './board.ts';
import { closesBefore } from './closing.ts';

/** The filters of the board, as the address has them. */
export const wantedDeals = (): Wanted => ({
  q: filter('q'),
  contactId: contactFilter(),
  assignedToUserId: filter('owner'),
  minValue: Number(filter('value')) || undefined,
  expectedCloseBefore: closesBefore(filter('closing'), localDate(new Date())),
  isOpenOnly: filter('open') === 'yes' || filter('closing') !== undefined,
});
