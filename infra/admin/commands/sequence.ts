import * as v from 'valibot';
import { CreateSequence } from '#lib/entities/sequence.ts';
import { id } from '#lib/schema.ts';
import { enroll } from '#lib/sequences/enroll.ts';
import { createSequence } from '#lib/sequences/store.ts';
import { asOperator, tenantFields } from './operator.ts';

const Create = v.object({ ...tenantFields, ...CreateSequence.entries });
const Enroll = v.object({ ...tenantFields, id: id(), contactId: id() });

async function create({ workspaceId, env, ...sequence }: v.InferOutput<typeof Create>) {
  const made = await asOperator({ workspaceId, env }, (tx) => createSequence(tx, sequence));
  return { id: made.id };
}

async function enrollContact(input: v.InferOutput<typeof Enroll>) {
  const enrollment = await asOperator(input, (tx) => enroll(tx, input.id, input.contactId));
  return { enrollmentId: enrollment.id };
}

export const commands = { create: { input: Create, run: create }, enroll: { input: Enroll, run: enrollContact } };
