import { beforeAll, expect, test } from 'vitest';
import { createContact } from '#lib/contacts/create.ts';
import { operator, type Tenant } from '#lib/core/tenant.ts';
import { Contacts } from '#lib/entities/contact.ts';
import { rowsOfWorkspace } from '#lib/table/scan.ts';
import { transact } from '#lib/table/transact.ts';
import { because } from '#test/refusals.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
let tenant: Tenant;
beforeAll(async () => {
  workspace = await newWorkspace();
  tenant = { workspaceId: workspace.id, env: 'live' };
});

const numbered = <One>(count: number, one: (index: number) => One): One[] =>
  Array.from({ length: count }, (_, index) => one(index));

/** A contact with many index entries, most of them of values that are companies. */
async function linkedContact(linkCount: number): Promise<number> {
  const { id } = (await workspace.live.post('/v1/contacts', { name: 'Linked', email: 'linked@linked.example' }, 201))
    .body;
  for (let from = 0; from < linkCount; from += 50)
    await transact(tenant, operator, async (tx) => {
      const contact = await tx.get(Contacts, { id });
      const added = numbered(Math.min(50, linkCount - from), (index) => from + index + 1);
      const links = added.map((fieldId) => ({ fieldId, to: 'company', id: fieldId }));
      tx.update(Contacts, { ...contact, links: [...(contact.links ?? []), ...links] });
    });
  await transact(tenant, operator, async (tx) => {
    const contact = await tx.get(Contacts, { id });
    tx.update(Contacts, { ...contact, uniqueValues: numbered(20, (index) => `${index + 1}=${id}`) });
  });
  return id;
}

async function entriesOf(id: number): Promise<string[]> {
  const found: string[] = [];
  for await (const { pk, of } of rowsOfWorkspace(workspace.id)) {
    const { pk: partition, sk } = (of ?? {}) as { pk?: string; sk?: string };
    if (partition?.endsWith('#contact') && Number(sk) === id) found.push(pk);
  }
  return found;
}

test('a contact with more index entries than a transaction takes is erased with all of them', async () => {
  const id = await linkedContact(100);
  expect((await entriesOf(id)).length).toBeGreaterThan(120);
  await workspace.live.post(`/v1/contacts/${id}/erasure`, { confirm: String(id) }, 202);
  expect(await entriesOf(id)).toEqual([]);
});

test('a contact with many index entries is merged into another one', async () => {
  const source = await linkedContact(40);
  const { id } = (await workspace.live.post('/v1/contacts', { name: 'Target' }, 201)).body;
  await workspace.live.post(`/v1/contacts/${id}/merge`, { sourceContactId: source }, 200);
  expect(await entriesOf(source)).toEqual([]);
  expect((await entriesOf(id)).filter((pk) => /links|uniqueValue/.test(pk))).toHaveLength(60);
});

test('a change that one transaction does not take is refused, alone and in a batch', async () => {
  for (const slug of numbered(20, (index) => `unique${index}`))
    await workspace.live.post(
      '/v1/fields',
      { object: 'company', slug, title: slug, type: 'text', isUnique: true },
      201,
    );
  const full = (name: string) => ({
    ...{ name, domains: numbered(20, (index) => `${name}${index}.com`) },
    fields: Object.fromEntries(numbered(20, (index) => [`unique${index}`, `${name}${index}`])),
  });
  const { body: a } = await workspace.live.post('/v1/companies', full('a'), 201);
  const refusal = because('batch_too_large');
  const { domains, fields } = full('b');
  expect((await workspace.live.patch(`/v1/companies/${a.id}`, { domains, fields }, 400)).body.details).toMatchObject(
    refusal,
  );
  const items = [
    { op: 'update', id: a.id, domains, fields },
    { op: 'create', name: 'Other' },
  ];
  const { results } = (await workspace.live.post('/v1/companies/batch', { items }, 200)).body;
  expect(results).toMatchObject([{ status: 400, error: { details: refusal } }, { status: 201 }]);
  const { body } = await workspace.live.post('/v1/companies/batch', { items, atomic: true }, 400);
  expect(body.details).toMatchObject(refusal);
});

test('a merge into a row that would be larger than the table takes is refused', async () => {
  const values = (from: number) =>
    Object.fromEntries(numbered(21, (index) => [String(from + index), 'x'.repeat(10_000)]));
  const ids = await transact(tenant, operator, async (tx) =>
    Promise.all(
      [100, 200].map(async (from) => {
        const contact = await createContact(tx, { platform: 'telegram', name: 'Long' });
        tx.update(Contacts, { ...(await tx.get(Contacts, { id: contact.id })), values: values(from) });
        return contact.id;
      }),
    ),
  );
  const { body } = await workspace.live.post(`/v1/contacts/${ids[0]}/merge`, { sourceContactId: ids[1] }, 400);
  expect(body.details).toMatchObject(because('batch_too_large'));
});
