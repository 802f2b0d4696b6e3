import { merging } from '#lib/contacts/merge.ts';
import { Contacts, MergedContacts, type Traces } from '#lib/entities/contact.ts';
import { mergedInto } from '#lib/references/merged.ts';
import { listAll, listPage } from '#lib/table/list.ts';
import { isSetAside } from '#lib/table/resume.ts';
import { Sagas } from '#lib/table/saga.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import type { Part } from './part.ts';
import type { Erasing } from './start.ts';

/**
 * Waits for the end of the commit that takes the contact away, should that be a large one, and for what is being merged into the
 * contact: it is moved to it although the contact is gone. No other merge can begin. What nobody goes on with, because it was set
 * aside, is moved here: where that is still impossible the erasure is set aside, too.
 */
export async function awaitMerges(tx: UnitOfWork, { contactId }: Erasing): Promise<Part> {
  if (await tx.find(Contacts, { id: contactId })) return { isLeft: true, place: { isWaiting: true } };
  for (const saga of await listAll(tx, Sagas)) {
    const { id, kind, state } = saga;
    if (kind !== merging.name || (await mergedInto(tx, Number(state['to']))) !== contactId) continue;
    if (!(await isSetAside(tx.tenant, saga))) return { isLeft: true, place: { isWaiting: true } };
    const left = await merging.step(tx, state as Parameters<typeof merging.step>[1], id);
    if (left) tx.update(Sagas, { ...saga, state: left });
    else tx.delete(Sagas, saga);
    return { isLeft: true, place: {} };
  }
  return { isLeft: false };
}

const unknown: Traces = { email: null, username: null, userIds: [], names: [], accountIds: [] };

/** Goes on with the next one whom the contact was made of: of what that one was known by the contact may have kept nothing. */
export async function erasePredecessor(tx: UnitOfWork, { madeOf, contactIds }: Erasing): Promise<Part> {
  const [into, ...others] = madeOf;
  if (into === undefined) return { isLeft: false };
  const [merged] = (await listPage(tx, MergedContacts, { where: { into }, limit: 1 })).items;
  if (!merged) return { isLeft: true, madeOf: others };
  tx.delete(MergedContacts, merged);
  return {
    isLeft: true,
    stage: 'threads-naming',
    place: {},
    ...(merged.traces ?? unknown),
    contactIds: [...contactIds, merged.id],
    madeOf: [merged.id, ...madeOf],
  };
}
