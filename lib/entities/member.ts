import * as v from 'valibot';
import { choice, id, nullableLine, paging, pattern, queryBoolean, queryText, storedChoice, time } from '#lib/schema.ts';
import { entity } from '#lib/table/entity.ts';

const roles = ['owner', 'admin', 'member'] as const;

/** Contract section 1. */
export const Member = v.pipe(
  v.object({
    id: id(),
    email: v.string(),
    name: v.nullable(v.string()),
    role: storedChoice(roles),
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
  name: v.optional(nullableLine(200), null),
  role: v.optional(choice(roles), 'member'),
});

/** A person of the workspace. */
export const Members = entity({ name: 'member', scope: 'workspace', schema: Member });
