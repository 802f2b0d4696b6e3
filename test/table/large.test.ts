import * as v from 'valibot';
import { beforeAll, expect, test } from 'vitest';
import { addActivity } from '#lib/contacts/activity.ts';
import { renaming } from '#lib/contacts/rename.ts';
import { changeContact, createContact } from '#lib/contacts/store.ts';
import { attachTag } from '#lib/contacts/tagging.ts';
import { upsertContact } from '#lib/contacts/upsert.ts';
import { Activities } from '#lib/entities/activity.ts';
import { Contacts } from '#lib/entities/contact.ts';
import { entity } from '#lib/table/entity.ts';
import { largeCommit } from '#lib/table/large.ts';
import { listAll } from '#lib/table/list.ts';
import { type Saga, Sagas } from '#lib/table/saga.ts';
import { finishSaga, transact } from '#lib/table/transact.ts';
import { Turn } from '#lib/table/turn.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { listTags } from '#lib/tags/store.ts';
import { operator, type Tenant } from '#lib/tenant.ts';
import { eventually } from '#test/client.ts';
import { dyingAfter } from '#test/crash.ts';
import { eventsAbout, type FedEvent } from '#test/feed.ts';
import { newWorkspace } from '#test/workspace.ts';

let tenant: Tenant;
beforeAll(async () => {
  tenant = { workspaceId: (await newWorkspace()).id, env: 'live' };
});

const run = <Result>(work: (tx: UnitOfWork) => Promise<Result>) => transact(tenant, operator, work);
const everyContact = () => run((tx) => listAll(tx, Contacts));

/** As the worker does it once the request can no longer be running: what is decided, and then what follows from it. */
async function finishAll() {
  const sagas = await run((tx) => listAll(tx, Sagas));
  const isLarge = ({ kind }: Saga) => kind === largeCommit.name;
  for (const saga of sagas.filter(isLarge)) await finishSaga(tenant, largeCommit, saga);
  for (const saga of sagas.filter((saga) => !isLarge(saga))) await finishSaga(tenant, renaming, saga);
  if (sagas.length > 0) await finishAll();
}

test('whenever the process dies, a large commit is done entirely or not at all, and nothing stays locked', async () => {
  const ids = await run(async (tx) => {
    const made = [];
    for (let index = 0; index < 25; index += 1)
      made.push(await createContact(tx, { platform: 'telegram', name: 'old' }));
    return made.map(({ id }) => id);
  });
  const outcomes = { done: 0, undone: 0 };
  for (let allowedWrites = 0, survived = false; !survived; allowedWrites += 1) {
    const name = `life ${allowedWrites}`;
    const before = await everyContact();
    const tagsBefore = await run(listTags);
    survived = await dyingAfter(allowedWrites, () =>
      run(async (tx) => {
        for (const id of ids) await changeContact(tx, id, { name, notes: name, email: null, company: name });
        await attachTag(tx, ids[0] as number, { tagName: name });
        await upsertContact(tx, {
          matchOn: 'email',
          platform: 'telegram',
          name,
          email: `life${allowedWrites}@example.com`,
        });
        expect(tx.size).toBeGreaterThan(100);
      }),
    );
    await finishAll();
    const after = await everyContact();
    const tags = await run(listTags);
    if (after.some((contact) => contact.name === name)) {
      outcomes.done += 1;
      expect(new Set(after.filter(({ id }) => ids.includes(id)).map((contact) => contact.name))).toEqual(
        new Set([name]),
      );
      expect(after).toHaveLength(before.length + 1);
      expect(tags.find((tag) => tag.name === name)?.contactCount).toBe(1);
    } else {
      outcomes.undone += 1;
      expect(after).toEqual(before);
      expect(tags).toEqual(tagsBefore);
    }
    // Nobody has to wait for a lock that is left.
    await run((tx) => changeContact(tx, ids[0] as number, { company: name }));
  }
  expect(outcomes.done).toBeGreaterThan(2);
  expect(outcomes.undone).toBeGreaterThan(2);
  expect(await run((tx) => listAll(tx, Sagas))).toEqual([]);
});

test('others wait for a locked item and then see what was decided', async () => {
  const ids = await run(async (tx) => {
    const made = [];
    for (let index = 0; index < 30; index += 1)
      made.push(await createContact(tx, { platform: 'telegram', name: 'old' }));
    return made.map(({ id }) => id);
  });
  // Dies right after the decision: every item is still locked.
  let locked: number[] = [];
  for (let allowedWrites = 4; locked.length === 0; allowedWrites += 1) {
    await dyingAfter(allowedWrites, () =>
      run(async (tx) => {
        for (const id of ids) await changeContact(tx, id, { name: 'decided', notes: 'x', company: 'y' });
      }),
    );
    const saga = (await run((tx) => listAll(tx, Sagas))).find(({ kind }) => kind === largeCommit.name);
    if (saga?.state['phase'] === 'apply') locked = ids;
    else await finishAll();
  }
  const waiting = Promise.all(
    ids.slice(0, 5).map((id) => run((tx) => changeContact(tx, id, { email: 'a@example.com' }))),
  );
  await finishAll();
  expect((await waiting).map(({ name, email }) => [name, email])).toEqual(Array(5).fill(['decided', 'a@example.com']));
});

test('wherever a large commit stands, who can go on with a contact of it finds all that belongs to it', async () => {
  const { old, others } = await run(async (tx) => {
    const make = (name: string) => createContact(tx, { platform: 'telegram', name });
    const made = [await make('old')];
    for (let index = 0; index < 30; index += 1) made.push(await make('other'));
    const [first, ...rest] = made.map(({ id }) => id);
    return { old: first as number, others: rest };
  });
  const notesOf = async (contactId: number) =>
    (await run((tx) => listAll(tx, Activities, { contactId }))).flatMap(({ text }) => text ?? []);
  const met: { id: number; name: string; company: string }[] = [];
  for (let allowedWrites = 4, survived = false; !survived; allowedWrites += 1) {
    const name = `stage ${allowedWrites}`;
    survived = await dyingAfter(allowedWrites, () =>
      run(async (tx) => {
        await changeContact(tx, old, { name });
        const made = await createContact(tx, { platform: 'telegram', name });
        for (const id of others) await changeContact(tx, id, { name, notes: name, company: name });
        for (const { id } of [{ id: old }, made]) await addActivity(tx, id, 'Note', { text: name });
      }),
    );
    // The changed one and, as soon as anybody can know of it, the new one.
    for (const { id } of (await everyContact()).filter(
      (contact) => contact.name === name && !others.includes(contact.id),
    )) {
      const company = `after ${name}`;
      const goesOn = transact(tenant, operator, (tx) => changeContact(tx, id, { company }), {
        turn: new Turn(tenant, 0),
      });
      const hasGoneOn = await goesOn.then(
        () => true,
        () => false,
      );
      if (!hasGoneOn) continue;
      expect(await notesOf(id)).toContain(name);
      met.push({ id, name, company });
    }
    await finishAll();
  }
  expect(met.length).toBeGreaterThanOrEqual(2);
  for (const { id, name, company } of met) {
    const isOf = (text: string) => (event: FedEvent) =>
      RegExp(`(?<!"from":)"${text}"`).test(JSON.stringify(event.data));
    const events = await eventually(async () => {
      const found = await eventsAbout(tenant.workspaceId, `contact/${id}`, 1);
      return found.some(isOf(company)) && found;
    }, `the event that tells of "${company}"`);
    const last = events.findLastIndex(isOf(name));
    expect(last).toBeGreaterThanOrEqual(0);
    expect(last).toBeLessThan(events.findIndex(isOf(company)));
  }
});

test('what is too much for one transaction by its bytes, though few rows, is written all the same', async () => {
  const Texts = entity({ name: 'text', schema: v.object({ id: v.number(), text: v.string() }) });
  // As large as the table takes them: in characters a third of that, or in JSON the double.
  const text = (index: number) => (index % 2 === 0 ? '\u4e2d'.repeat(136_000) : '"'.repeat(408_000));
  const texts = Array.from({ length: 12 }, (_, index) => ({ id: index + 1, text: text(index) }));
  await run(async (tx) => {
    for (const text of texts) tx.create(Texts, text);
  });
  const read = () => run((tx) => listAll(tx, Texts));
  expect(await read()).toEqual(texts);
  // What the table would refuse after the decision is refused before it.
  const tooLarge = run(async (tx) => {
    for (const { id } of texts) tx.update(Texts, { ...(await tx.get(Texts, { id })), text: '"'.repeat(id * 40_000) });
  });
  await expect(tooLarge).rejects.toThrow('more than an item of the table may have');
  expect(await read()).toEqual(texts);
});

test('whenever the process dies, rows that are each kept in several parts are written entirely or not at all', async () => {
  const Parted = entity({ name: 'parted', schema: v.object({ id: v.number(), text: v.string() }) });
  const ids = Array.from({ length: 101 }, (_, index) => index + 1);
  // The first letter tells which it is; in JSON two of them are twice as long.
  const text = (id: number, letter: string) => `${letter}${'"'.repeat(id < 3 ? 408_000 : 0)}`;
  await run(async (tx) => {
    for (const id of ids) tx.create(Parted, { id, text: text(id, 'A') });
  });
  const letters = async () => new Set((await run((tx) => listAll(tx, Parted))).map((row) => row.text.charAt(0)));
  const seen = new Set<string>();
  // Before this no more than parts are kept; every third write, because each of them writes all rows once more.
  for (let allowedWrites = 6, survived = false; !survived; allowedWrites += 3) {
    const [before] = await letters();
    const letter = before === 'A' ? 'B' : 'A';
    survived = await dyingAfter(allowedWrites, () =>
      run(async (tx) => {
        for (const id of ids) tx.update(Parted, { ...(await tx.get(Parted, { id })), text: text(id, letter) });
      }),
    );
    await finishAll();
    const after = await letters();
    expect(after.size).toBe(1);
    seen.add(after.has(letter) ? 'done' : 'undone');
  }
  expect(seen).toEqual(new Set(['undone', 'done']));
  expect(await run((tx) => listAll(tx, Sagas))).toEqual([]);
});
