import { type Conditional, conditional, fitsOne, send } from './change.ts';
import { requireOwn } from './keys.ts';
import { outboxItems } from './outbox.ts';
import { requireSize } from './size.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/**
 * Returns all that a unit of work writes, events and audit entry included. Throws when a row of another tenant is among
 * it, and UnfitRow for a row that is too large.
 */
function actionsOf(tx: UnitOfWork): Conditional[] {
  const { changes, writes, events, audit } = tx.work;
  const outbox = outboxItems(tx.tenant, tx.id, tx.now, tx.actor, events, audit);
  for (const { key } of [...changes, ...writes, ...outbox.map((key) => ({ key }))]) requireOwn(tx.tenant, key, true);
  for (const { key, item, set } of [...changes, ...writes]) if (item || set) requireSize({ ...(item ?? set), ...key });
  return [...changes, ...writes, ...outbox.map((item) => ({ key: item, item }))].map(conditional);
}

/**
 * Writes a unit of work in one transaction of DynamoDB, all or nothing. Returns false,
 * with nothing done, when it is too large for one. Throws the refusal of a failed condition, or WriteConflict when it is worth running again.
 */
export async function commitAtOnce(tx: UnitOfWork): Promise<boolean> {
  const actions = actionsOf(tx);
  if (!fitsOne(actions)) return false;
  if (actions.length > 0) await send(actions, tx.id);
  return true;
}
