import * as v from 'valibot';
import { id } from '#lib/core/schema.ts';
import { CreateSequence, PatchSequence } from '#lib/entities/sequence.ts';
import { enroll } from '#lib/sequences/enroll.ts';
import { activateSequence } from '#lib/sequences/pause.ts';
import { createSequence, patchSequence } from '#lib/sequences/store.ts';
import { asOperator, tenantFields } from './operator.ts';

const Create = v.object({ ...tenantFields, ...CreateSequence.entries });
const Update = v.object({ ...tenantFields, id: id(), ...PatchSequence.entries });
const Activate = v.object({ ...tenantFields, id: id() });
const Enroll = v.object({ ...tenantFields, id: id(), contactId: id() });

async function create({ workspaceId, env, ...sequence }: v.InferOutput<typeof Create>) {
  const made = await asOperator({ workspaceId, env }, (tx) => createSequence(tx, sequence));
  return { id: made.id };
}

async function enrollContact(input: v.InferOutput<typeof Enroll>) {
  const enrollment = await asOperator(input, (tx) => enroll(tx, input.id, input.contactId));
  return { enrollmentId: enrollment.id };
}

async function update({ workspaceId, env, id: sequenceId, ...patch }: v.InferOutput<typeof Update>) {
  const changed = await asOperator({ workspaceId, env }, (tx) => patchSequence(tx, sequenceId, patch));
  return { id: changed.id };
}

async function activate(input: v.InferOutput<typeof Activate>) {
  const { status } = await asOperator(input, (tx) => activateSequence(tx, input.id));
  return { id: input.id, status };
}

export const commands = {
  create: { input: Create, run: create },
  update: { input: Update, run: update },
  activate: { input: Activate, run: activate },
  enroll: { input: Enroll, run: enrollContact },
};
