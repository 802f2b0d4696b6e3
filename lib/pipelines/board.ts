import * as v from 'valibot';
import { entity } from '#lib/table/entity.ts';

export const boardKinds = ['deal', 'contact'] as const;

/** A pipeline board as it is stored; its columns derive from its kind. */
export const Boards = entity({
  name: 'board',
  schema: v.object({
    id: v.number(),
    name: v.string(),
    kind: v.picklist(boardKinds),
    isDefault: v.boolean(),
    createdAt: v.string(),
  }),
});
