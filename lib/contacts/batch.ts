import * as v from 'valibot';
import { idInput } from '#lib/core/schema.ts';
import {
  ContactWithTags,
  CreateContact,
  contactChanges,
  readOnlyInPatch,
  tagFields,
  UpsertContact,
} from '#lib/entities/contact.ts';
import { batchAnswer, batchBody, batchOp } from '#lib/table/batch.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { changeContact } from './change.ts';
import { createContact } from './create.ts';
import { getContact } from './read.ts';
import { attachTag, detachTag } from './tagging.ts';
import { upsertContact } from './upsert.ts';

const touches = (item: { id: number }) => `contact/${item.id}`;
/** Which contact an upsert meets is not known before, and tags count their contacts: such items run one after the other. */
const everything = () => '*';
const { platform, tags, metadata } = readOnlyInPatch;

/** Kinds of items in a batch of contacts (contract section 2). */
export const contactOps = {
  create: batchOp({
    schema: v.pipe(v.object({ op: v.literal('create'), ...CreateContact.entries }), v.title('CreateContactItem')),
    touches: ({ tags }) => (tags === undefined ? undefined : everything()),
    run: async (tx, item) => ({ status: 201, shown: await createContact(tx, item) }),
  }),
  update: batchOp({
    schema: v.pipe(
      v.object({ op: v.literal('update'), id: idInput(), ...contactChanges }),
      v.title('UpdateContactItem'),
    ),
    readOnly: { platform, tags, metadata },
    touches,
    run: async (tx, { op, id, ...change }) => ({ status: 200, shown: await changeContact(tx, id, change) }),
  }),
  upsert: batchOp({
    schema: v.pipe(v.object({ op: v.literal('upsert'), ...UpsertContact.entries }), v.title('UpsertContactItem')),
    touches: everything,
    run: async (tx, { op, ...input }) => {
      const { contact, isNew } = await upsertContact(tx, input);
      return { status: isNew ? 201 : 200, shown: contact };
    },
  }),
  addTag: batchOp({
    schema: v.pipe(v.object({ op: v.literal('addTag'), id: idInput(), ...tagFields }), v.title('AddContactTagItem')),
    touches: everything,
    run: async (tx, item) => {
      await attachTag(tx, item.id, item);
      return shown(tx, item.id);
    },
  }),
  removeTag: batchOp({
    schema: v.pipe(
      v.object({ op: v.literal('removeTag'), id: idInput(), tagId: idInput() }),
      v.title('RemoveContactTagItem'),
    ),
    touches: everything,
    run: async (tx, item) => {
      await detachTag(tx, item.id, item.tagId);
      return shown(tx, item.id);
    },
  }),
};

const shown = async (tx: UnitOfWork, id: number) => ({ status: 200 as const, shown: await getContact(tx, id) });

export const ContactBatch = batchBody('ContactBatch', contactOps);
export const ContactBatchResults = batchAnswer('ContactBatchResults', 'contact', ContactWithTags);
