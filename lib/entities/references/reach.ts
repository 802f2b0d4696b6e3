import { latest } from '#lib/core/clock.ts';
import { maxReach, normalize, type Reach, type StoredContact, type Traces } from '#lib/entities/contact.ts';
import { happenedAt, hasHappened, Messages, type StoredMessage } from '#lib/entities/message.ts';
import { listPage } from '#lib/table/list.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';

/** As much of a conversation tells who took part in it. */
const maxMessages = 1000;

/**
 * The accounts that a contact has to do with. Rows of before these were kept are silent: their conversation tells, as far as it can be
 * read, since what cannot is to hold up no message.
 */
export async function reachOf(tx: UnitOfWork, { id, reach }: StoredContact): Promise<Reach[]> {
  if (reach !== undefined) return reach;
  const reading = UnitOfWork.forAnswer(tx.tenant, tx.actor);
  const { items } = await listPage(reading, Messages, { within: { contactId: id }, limit: maxMessages });
  return items.filter(hasHappened).reduce<Reach[]>((known, message) => unite(known, reachBy(message)), []);
}

/** By what a contact with this reach is known. */
export function tracesOf(contact: StoredContact, reach: readonly Reach[]): Traces {
  const { platform, username, identities } = contact;
  const ids = Object.entries(identities);
  return {
    username,
    userIds: unique([...ids.map(([, userId]) => String(userId)), ...reach.flatMap(({ userId }) => userId ?? [])]),
    names: [
      ...ids.map(([channel, userId]) => `${channel}/${userId}`),
      ...(username === null ? [] : [`${platform}/@${normalize.username(username)}`]),
    ],
    accountIds: unique(reach.map(({ accountId }) => accountId)),
  };
}

const unique = <Value>(values: readonly Value[]): Value[] => [...new Set(values)];

/** Returns the reach that one received or sent message shows. */
export function reachBy(message: StoredMessage, userId = message.atPlatform?.userId ?? null): Reach[] {
  const { accountId, direction } = message;
  if (accountId === null) return [];
  const at = happenedAt(message);
  return [
    {
      accountId,
      userId,
      lastInboundAt: direction === 'inbound' ? at : null,
      lastOutboundAt: direction === 'outbound' ? at : null,
    },
  ];
}

/** Both together: what is known of one account and person is one. The last ones that had to do with each other. */
export function unite(known: readonly Reach[], others: readonly Reach[]): Reach[] {
  const all = [...known];
  for (const other of others) {
    const index = all.findIndex((one) => isSame(one, other));
    const one = all[index];
    if (one === undefined) all.push(other);
    else
      all[index] = {
        ...one,
        userId: one.userId ?? other.userId,
        lastInboundAt: latest(one.lastInboundAt, other.lastInboundAt),
        lastOutboundAt: latest(one.lastOutboundAt, other.lastOutboundAt),
      };
  }
  if (all.length <= maxReach) return all;
  const kept = new Set([...all].sort((a, b) => (lastOf(a) < lastOf(b) ? 1 : -1)).slice(0, maxReach));
  return all.filter((one) => kept.has(one));
}

const lastOf = ({ lastInboundAt, lastOutboundAt }: Reach) => latest(lastInboundAt, lastOutboundAt) ?? '';

/** An account that knows the contact by a username alone knows it. */
const isSame = (one: Reach, other: Reach) =>
  one.accountId === other.accountId && (one.userId === null || other.userId === null || one.userId === other.userId);
