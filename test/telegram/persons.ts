import { listenAgain } from '#lib/accounts/inbound.ts';
import { secondMs, shifted } from '#lib/clock.ts';
import { Accounts } from '#lib/entities/account.ts';
import { Inbounds } from '#lib/entities/inbound.ts';
import { transact } from '#lib/table/transact.ts';
import { operator, type Tenant } from '#lib/tenant.ts';
import { type Client, eventually } from '#test/client.ts';
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

  /** Has the account look now. */
  const hurry = ({ id }: { id: number }) =>
    inTenant(async (tx) => {
      const inbound = await tx.get(Inbounds, { id });
      // The same second again would be the same timer, which has rung.
      const lookAt = inbound.lookAt === tx.now ? shifted(tx.now, -secondMs) : tx.now;
      tx.update(Inbounds, { ...inbound, lookAt });
      return tx.now;
    });

  /** The account looks now, and has looked. */
  async function looked(account: { id: number }) {
    const at = await hurry(account);
    await eventually(
      () => inTenant(async (tx) => (({ lookAt }) => lookAt === null || lookAt > at)(await tx.get(Inbounds, account))),
      'the account to look',
      50_000,
    );
  }

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
