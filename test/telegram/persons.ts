import { operator, type Tenant } from '#lib/core/tenant.ts';
import { Accounts } from '#lib/entities/account.ts';
import { listenAgain } from '#lib/messages/accounts/inbound.ts';
import { transact } from '#lib/table/transact.ts';
import { type Client, eventually } from '#test/client.ts';
import { looked as hasLooked, hurry as lookSoon } from '#test/receiving/look.ts';
import { personOf, startDataCentre } from '#test/telegram/data-centre.ts';
import { newAccount } from '#test/telegram/line.ts';

let lastUserId = 60_000;

/** Somebody whom nobody knows yet. */
export const somebody = () => {
  lastUserId += 1;
  return lastUserId;
};

/** The accounts of persons in a workspace, each with a data centre of its own. */
export function persons(place: () => { live: Client; tenant: Tenant }) {
  const centres: Awaited<ReturnType<typeof startDataCentre>>[] = [];
  const inTenant = <Result>(work: Parameters<typeof transact<Result>>[2]) => transact(place().tenant, operator, work);

  /** A data centre that ends with the tests. */
  async function newCentre(options?: Parameters<typeof startDataCentre>[0]) {
    const centre = await startDataCentre(options);
    centres.push(centre);
    return centre;
  }

  /** Somebody's account that listens. */
  async function listening() {
    const { live, tenant } = place();
    const centre = await newCentre();
    const { id } = await newAccount(tenant, { kind: 'user', secret: centre.session });
    await inTenant(async (tx) => listenAgain(tx, await tx.get(Accounts, { id }), undefined));
    const account = async () => (await live.get(`/v1/telegram/accounts/${id}`)).body;
    await eventually(async () => (await account()).inbound.status === 'ok', 'the first look');
    return { id, ...centre, account };
  }

  const hurry = (account: { id: number }) => lookSoon(place().tenant, account);
  const looked = (account: { id: number }) => hasLooked(place().tenant, account);

  /** What the account and somebody have written each other, the oldest first. */
  async function conversation(account: { id: number }, userId: number) {
    const { live } = place();
    const { items: contacts } = (await live.get('/v1/contacts', { q: personOf(userId)['firstName'] as string })).body;
    if (contacts.length === 0) return [];
    const where = { contactId: contacts[0].id, accountId: account.id, limit: 100 };
    const { items } = (await live.get('/v1/messages', where)).body;
    return items.toReversed();
  }

  const close = () => Promise.all(centres.map((centre) => centre.close()));
  return { inTenant, newCentre, listening, hurry, looked, conversation, close };
}

export type Listening = Awaited<ReturnType<ReturnType<typeof persons>['listening']>>;
