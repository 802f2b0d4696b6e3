import { Accounts } from '#lib/entities/account.ts';
import { Blocks } from '#lib/entities/block.ts';
import { normalize } from '#lib/entities/contact.ts';
import { Peers } from '#lib/entities/peer.ts';
import { Senders } from '#lib/entities/sender.ts';
import { currentOwner } from '#lib/messages/accounts/sender.ts';
import { entityPartition, type Item } from '#lib/table/entity.ts';
import { sortableId } from '#lib/table/keys.ts';
import { pages } from '#lib/table/pages.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { maxIds, type Part } from './part.ts';
import type { Erasing } from './start.ts';

type Sender = Item<typeof Senders>;
type State = Pick<Erasing, 'username' | 'userIds' | 'accountIds' | 'senderIds' | 'place'>;

/** Limit for the rows that one part of the work reads. */
const keysPerPart = 500;

/**
 * Removes the identities, blocks, and paces that accounts keep of somebody, some accounts at a time. A running sender may still write the
 * pace, so its end is awaited and the account is checked again; bounces of an address stay known, by its digest.
 */
export async function eraseTraces(tx: UnitOfWork, state: State): Promise<Part> {
  const { username, place } = state;
  // Older rows may have an empty id, for which nothing is kept.
  const userIds = state.userIds.filter((userId) => userId !== '');
  const names = [...userIds, ...(username === null ? [] : [`@${normalize.username(username)}`])];
  const perAccount = names.length + userIds.length + 1;
  const after = place.after ?? 0;
  const { accountIds, isLast } = await accountsAfter(tx, state, after, Math.ceil(keysPerPart / perAccount));
  await tx.findAll(
    Senders,
    accountIds.map((id) => ({ id })),
  );
  const peers = await tx.findAll(
    Peers,
    accountIds.flatMap((accountId) => names.map((name) => ({ accountId, name }))),
  );
  const blocks = await tx.findAll(
    Blocks,
    accountIds.flatMap((accountId) => userIds.map((userId) => ({ accountId, userId }))),
  );
  for (const peer of peers) {
    if (!tx.hasRoom) return { isLeft: true, place };
    tx.delete(Peers, peer);
  }
  for (const block of blocks) {
    if (!tx.hasRoom) return { isLeft: true, place };
    tx.delete(Blocks, block);
  }
  const known = new Set(names);
  const senderOwners: string[] = [];
  let done = after;
  for (const id of accountIds) {
    if (!tx.hasRoom) break;
    const sender = await tx.find(Senders, { id });
    const owner = sender && leaveOut(tx, sender, known, id <= (place.seen ?? 0) ? place.senderOwners : undefined);
    if (owner !== undefined) senderOwners.push(owner);
    done = id;
  }
  if (senderOwners.length > 0) return { isLeft: true, place: { after, seen: done, senderOwners, isWaiting: true } };
  return isLast && done === (accountIds.at(-1) ?? after) ? { isLeft: false } : { isLeft: true, place: { after: done } };
}

/**
 * Takes somebody out of an account's pace. The owner that is to be waited for: one that began when the row no longer named them, as those
 * did that are not among `senderOwners`, knows nothing of them.
 */
function leaveOut(
  tx: UnitOfWork,
  sender: Sender,
  names: ReadonlySet<string>,
  senderOwners: readonly string[] | undefined,
): string | undefined {
  const paced = Object.entries(sender.pace.peers);
  const others = paced.filter(([peer]) => !names.has(peer.toLowerCase()));
  const isNamed = others.length < paced.length;
  if (isNamed) tx.update(Senders, { ...sender, pace: { ...sender.pace, peers: Object.fromEntries(others) } });
  const owner = currentOwner(sender);
  return owner !== undefined && (isNamed || (senderOwners?.includes(owner) ?? true)) ? owner : undefined;
}

/** The next accounts, by their ids, that may have to do with somebody. */
async function accountsAfter(
  tx: UnitOfWork,
  { accountIds, senderIds = [] }: State,
  after: number,
  limit: number,
): Promise<{ accountIds: number[]; isLast: boolean }> {
  // When so many are remembered there may be others.
  const senders = senderIds.length < maxIds ? senderIds : await allAfter(tx, after, limit + 1);
  const left = [...new Set([...accountIds, ...senders])].filter((id) => id > after).sort((a, b) => a - b);
  return { accountIds: left.slice(0, limit), isLast: left.length <= limit };
}

async function allAfter(tx: UnitOfWork, after: number, limit: number): Promise<number[]> {
  const range = { ascending: true, above: sortableId(after), limit };
  for await (const page of pages({ pk: entityPartition(tx.tenant, Accounts), ...range }))
    return page.map((row) => Number(row['id']));
  return [];
}
