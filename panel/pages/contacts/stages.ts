import type { Schema } from '../../../client/index.ts';
import type { Tone } from '../../parts/badge.tsx';

/** In the order in which a contact comes closer, and then goes. */
export const stages = [
  'new',
  'contacted',
  'engaged',
  'qualified',
  'customer',
  'lost',
] as const satisfies readonly Schema<'ContactStage'>[];

export const stageTones: Record<Schema<'ContactStage'>, Tone> = {
  new: 'accent',
  contacted: 'plain',
  engaged: 'plain',
  qualified: 'warn',
  customer: 'good',
  lost: 'bad',
};
