import { expect, test } from 'vitest';
import { between } from '#test/between.ts';
import { type Client, everyItem } from '#test/client.ts';
import { newWorkspace } from '#test/workspace.ts';
import { imported } from './importing.ts';

const people = 50;
const broken = 30;
const again = 33;
/** People of one company with one tag, of whom one has no name, and one comes twice. */
const file = [
  'Name,Mail,Firm,Tags',
  ...Array.from({ length: people }, (_, index) => {
    const mail = `p${index === again ? 3 : index}@people.example`;
    return `${index === broken ? '' : `Person ${index}`},${mail},Acme,spring`;
  }),
].join('\n');
const input = {
  ...{ object: 'contacts', mapping: { Name: 'name', Mail: 'email', Firm: 'company', Tags: 'tags' } },
  ...{ matchOn: 'email', onConflict: 'update', createMissing: ['tags', 'companies'] },
};

async function expectAll(live: Client): Promise<void> {
  const contacts = await everyItem(live, '/v1/contacts');
  const names = Array.from({ length: people }, (_, index) => `Person ${index}`);
  const left = ['Person 3', `Person ${broken}`];
  expect(contacts.map(({ name }) => name).sort()).toEqual(names.filter((name) => !left.includes(name)).sort());
  expect(await everyItem(live, '/v1/companies')).toMatchObject([{ name: 'Acme', contactCount: contacts.length }]);
  expect((await live.get('/v1/tags')).body.items).toMatchObject([{ name: 'spring', contactCount: contacts.length }]);
  const { body } = await live.get('/v1/events', { since: 0, eventKind: 'contact.created', limit: 100 });
  expect(body.items).toHaveLength(contacts.length);
}

const counts = { created: people - 2, updated: 1, failed: 1, processed: people };

test('rows that share nothing new are taken in together', async () => {
  const { live } = await newWorkspace();
  let commits = 0;
  const done = await between(
    async ({ operation, input: asked }, next) => {
      if (operation === 'TransactWriteItems' && JSON.stringify(asked).includes('/row')) commits += 1;
      return next();
    },
    () => imported(live, file, input),
  );
  expect(done).toMatchObject(counts);
  await expectAll(live);
  expect(commits).toBeLessThan(people / 2);
});

test('rows go alone when others are faster than all that are taken in together', async () => {
  const { live } = await newWorkspace();
  const done = await between(
    async ({ input: asked }, next) => {
      const { TransactItems: items = [] } = asked as { TransactItems?: unknown[] };
      if (items.length > 45 && JSON.stringify(items).includes('/row'))
        throw Object.assign(new Error('Transaction cancelled'), {
          name: 'TransactionCanceledException',
          CancellationReasons: [{ Code: 'TransactionConflict' }],
        });
      return next();
    },
    () => imported(live, file, input),
  );
  expect(done).toMatchObject(counts);
  await expectAll(live);
});
