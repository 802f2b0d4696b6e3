import * as v from 'valibot';
import { choice, nullableText, paging, pattern, queryBoolean, queryText, time } from '#lib/schema.ts';
import { entity } from '#lib/table/entity.ts';

const roles = ['owner', 'admin', 'member'] as const;

/** Contract section 1. */
export const Member = v.pipe(
  v.object({
    id: v.number(),
    email: v.string(),
    name: v.nullable(v.string()),
    role: v.picklist(roles),
    isActive: v.boolean(),
    createdAt: time(),
  }),
  v.title('Member'),
);

export const MemberQuery = v.object({
  ...paging,
  q: v.optional(queryText()),
  isActive: v.optional(queryBoolean()),
});

export const CreateMember = v.object({
  email: pattern(/^[^@\s]+@[^@\s]+$/, 254, 'an e-mail address'),
  name: v.optional(nullableText(200), null),
  role: v.optional(choice(roles), 'member'),
});

export const Members = entity({ name: 'member', scope: 'workspace', schema: Member });
