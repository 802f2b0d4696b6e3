import { merging } from '#lib/contacts/merge.ts';
import { MergedContacts, type Traces } from '#lib/entities/contact.ts';
import { mergedInto } from '#lib/entities/references/merged.ts';
import { entityPartition } from '#lib/table/entity.ts';
import { listPage } from '#lib/table/list.ts';
import { pages } from '#lib/table/pages.ts';
import { isResting } from '#lib/table/resume.ts';
import { Sagas } from '#lib/table/saga.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { maxIds, type Part, type Place } from './part.ts';
import type { Erasing } from './start.ts';

/** Limit for the sagas that one part of the work reads: a merge may lead through a hundred others. */
const sagasPerPart = 25;

/**
 * Waits for running merges into the contact, which finish although it is gone. A merge whose timer is a dead letter is finished here; if
 * that fails, the timer of the erasure becomes a dead letter too.
 */
export async function awaitMerges(tx: UnitOfWork, { contactId, place }: Erasing): Promise<Part> {
  let { above } = place;
  const here = (): Place => (above === undefined ? {} : { above });
  for await (const page of pages({
    pk: entityPartition(tx.tenant, Sagas),
    ascending: true,
    limit: sagasPerPart,
    above,
  })) {
    for (const row of page) {
      const saga = tx.remember(Sagas, row);
      const { id, kind, state } = saga;
      if (kind === merging.name && (await mergedInto(tx, Number(state['to']))) === contactId) {
        if (!(await isResting(tx.tenant, saga))) return { isLeft: true, place: { ...here(), isWaiting: true } };
        const left = await merging.step(tx, state as Parameters<typeof merging.step>[1], id);
        if (left) tx.update(Sagas, { ...saga, state: left });
        else tx.delete(Sagas, saga);
        return { isLeft: true, place: here() };
      }
      above = row.sk;
    }
    return { isLeft: true, place: here() };
  }
  return { isLeft: false };
}

const unknown: Traces = { username: null, userIds: [], names: [], accountIds: [] };

/**
 * Goes on with the next one whom the contact was made of: of what that one was known by the contact may have kept nothing. Whom that one
 * was made of is from then on one of the contact's own, so that no list of them has to be kept.
 */
export async function erasePredecessor(tx: UnitOfWork, { contactId, madeOf, contactIds }: Erasing): Promise<Part> {
  if (contactIds.length >= maxIds) return { isLeft: false, isOverfull: true };
  const [into, ...others] = madeOf;
  if (into === undefined) return { isLeft: false };
  const [merged] = (await listPage(tx, MergedContacts, { where: { into }, limit: 1 })).items;
  if (!merged) return { isLeft: others.length > 0, madeOf: others.length > 0 ? others : [contactId] };
  if (merged.id === contactId) {
    // An archive of an earlier release could say so.
    tx.delete(MergedContacts, merged);
    return { isLeft: true };
  }
  const { items } = await listPage(tx, MergedContacts, { where: { into: merged.id }, limit: 20 });
  for (const one of items) {
    if (!tx.hasRoom) break;
    tx.update(MergedContacts, { ...one, into: contactId });
  }
  if (items.length > 0) return { isLeft: true };
  tx.delete(MergedContacts, merged);
  return {
    isLeft: true,
    stage: 'jobs',
    place: {},
    ...(merged.traces ?? unknown),
    ofId: merged.id,
    contactIds: [...contactIds, merged.id],
  };
}
