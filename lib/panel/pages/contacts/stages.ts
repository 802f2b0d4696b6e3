import type { Schema } from '../../../../client/index.ts';

/** In the order in which a contact comes closer, and then goes. */
export const stages = [
  'new',
  'contacted',
  'engaged',
  'qualified',
  'customer',
  'lost',
] as const satisfies readonly Schema<'ContactStage'>[];
