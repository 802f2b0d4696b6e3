import { dayOf, localDate } from '../../parts/local-time.ts';
import type { Deal } from './board.ts';

/** Whether an open deal should have closed on a day before today. */
export const isOverdue = ({ expectedCloseAt, closedAt }: Pick<Deal, 'expectedCloseAt' | 'closedAt'>): boolean =>
  expectedCloseAt !== null && closedAt === null && dayOf(expectedCloseAt) < localDate(new Date());
