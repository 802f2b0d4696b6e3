import * as v from 'valibot';
import { signInLink } from '#lib/auth/session.ts';
import { createSignIn } from '#lib/auth/session-store.ts';
import { id } from '#lib/core/schema.ts';
import { CreateMember, memberEmail, PatchMember } from '#lib/entities/member.ts';
import { activeMemberAt, createMember, patchMember } from '#lib/workspaces/members.ts';
import { asOneOf } from '#lib/workspaces/people.ts';
import { asOperator } from './operator.ts';

const Create = v.object({ workspaceId: id(), ...CreateMember.entries });

/** Members belong to the workspace, not to one of its environments. */
async function create({ workspaceId, ...member }: v.InferOutput<typeof Create>) {
  const made = await asOperator({ workspaceId, env: 'live' }, (tx) => createMember(tx, member));
  return { id: made.id };
}

const Update = v.object({ workspaceId: id(), id: id(), ...PatchMember.entries });

async function update({ workspaceId, id: memberId, ...patch }: v.InferOutput<typeof Update>) {
  const { role, isActive } = await asOperator({ workspaceId, env: 'live' }, (tx) => patchMember(tx, memberId, patch));
  return { id: memberId, role, isActive };
}

const SignInLink = v.object({ workspaceId: id(), email: memberEmail() });

/** Prints what lets a member in, for who gets no mail: it works once, for 15 minutes. */
async function signInLinkOf({ workspaceId, email }: v.InferOutput<typeof SignInLink>) {
  const { PUBLIC_URL, API_URL } = process.env;
  const base = (PUBLIC_URL || API_URL || '').replace('//127.0.0.1:', '//localhost:').replace(/\/$/, '');
  const person = await asOperator({ workspaceId, env: 'live' }, (tx) => activeMemberAt(tx, email));
  const token = await createSignIn(await asOneOf(workspaceId, person));
  return { link: signInLink(base, token) };
}

export const commands = {
  create: { input: Create, run: create },
  update: { input: Update, run: update },
  'sign-in-link': { input: SignInLink, run: signInLinkOf },
};
