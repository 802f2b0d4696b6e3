import { expect, test } from 'vitest';
import { commands } from '#infra/admin/commands/invoice.ts';
import { newWorkspace } from '#test/workspace.ts';

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);

test('deals, tasks, transactions and invoices follow a contact that is merged into another', async () => {
  const { id: workspaceId, live } = await newWorkspace('EUR');
  const [target, source] = await Promise.all(
    ['Ada', 'Bo'].map(async (name) => (await live.post('/v1/contacts', { name })).body.id as number),
  );
  const deals = await Promise.all(
    Array.from({ length: 30 }, async () => (await live.post('/v1/deals', { title: 'x', contactId: source })).body),
  );
  const task = (await live.post('/v1/tasks', { title: 'x', dealId: deals[0].id })).body;
  const money = { type: 'income', amount: 1, currency: 'EUR', contactId: source };
  const transaction = (await live.post('/v1/finance/transactions', money)).body;
  const invoice = await commands.create.run({
    ...{ workspaceId, env: 'live', contactId: source as number, invoiceNumber: '1', status: 'sent', currency: 'EUR' },
    ...{ total: 5, issueDate: '2026-01-01T00:00:00Z', dueDate: '2099-01-01T00:00:00Z' },
  });
  expect(task.contactId).toBe(source);
  const merged = await live.post(`/v1/contacts/${target}/merge`, { sourceContactId: source });
  expect(merged.status).toBe(200);
  const moved = (await live.get('/v1/deals', { contactId: target as number, limit: 100 })).body.items;
  expect(moved).toHaveLength(30);
  expect(moved.at(-1)).toMatchObject({ contactId: target, contactName: 'Ada', updatedAt: instant });
  expect((await live.get(`/v1/tasks/${task.id}`)).body).toEqual({ ...task, contactId: target, updatedAt: instant });
  expect((await live.get(`/v1/finance/transactions/${transaction.id}`)).body).toEqual({
    ...transaction,
    contactId: target,
  });
  expect((await live.get('/v1/finance/invoices', { contactId: target as number })).body).toMatchObject({
    items: [{ id: invoice.id, contactId: target }],
    outstanding: [{ currency: 'EUR', count: 1, total: 5 }],
  });
  for (const path of ['deals', 'tasks', 'finance/transactions', 'finance/invoices'])
    expect((await live.get(`/v1/${path}`, { contactId: source as number })).body.items).toEqual([]);
});

test('a deal shows the new name of its contact', async () => {
  const { live } = await newWorkspace();
  const contact = (await live.post('/v1/contacts', { name: 'Ada' })).body;
  const deals = await Promise.all(
    Array.from({ length: 3 }, async () => (await live.post('/v1/deals', { title: 'x', contactId: contact.id })).body),
  );
  await live.patch(`/v1/contacts/${contact.id}`, { name: 'Ada Lovelace' });
  const { items } = (await live.get('/v1/deals')).body;
  expect(items.map(({ contactName }: { contactName: string }) => contactName)).toEqual(deals.map(() => 'Ada Lovelace'));
});
