import * as v from 'valibot';
import { CreateMember } from '#lib/entities/member.ts';
import { createMember } from '#lib/members/store.ts';
import { id } from '#lib/schema.ts';
import { asOperator } from './operator.ts';

const Create = v.object({ workspaceId: id(), ...CreateMember.entries });

/** Members belong to the workspace, not to one of its environments. */
async function create({ workspaceId, ...member }: v.InferOutput<typeof Create>) {
  const made = await asOperator({ workspaceId, env: 'live' }, (tx) => createMember(tx, member));
  return { id: made.id };
}

export const commands = { create: { input: Create, run: create } };
