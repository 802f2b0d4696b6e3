import * as v from 'valibot';
import { expect, test } from 'vitest';
import { entities } from '#lib/entities/all.ts';
import { Contacts } from '#lib/entities/contact.ts';
import { namingContacts } from '#lib/entities/naming-contacts.ts';
import { eventKinds } from '#lib/events/kinds.ts';
import { type Entity, fieldsWithin } from '#lib/table/entity.ts';

const names = new Set(entities.map(({ name }) => name));
const fieldsOf = ({ schema }: Entity) => Object.keys((schema as unknown as { entries: object }).entries);
const references = entities.flatMap((of) => (of.references ?? []).map((reference) => ({ of, ...reference })));

test.each(references)('$of.name.$field names an entity that there is', ({ to }) => {
  expect(names).toContain(to);
});

/** Nobody follows a merge in them: an upsert looks again, and a merged contact says whom it became. */
const outlived = ['upsert'];

test('every row that has a contactId says so in its references', () => {
  const silent = entities.filter(
    (of) =>
      fieldsOf(of).includes('contactId') &&
      !outlived.includes(of.name) &&
      !of.references?.some(({ to, field }) => to === Contacts.name && field === 'contactId'),
  );
  expect(silent.map(({ name }) => name)).toEqual([]);
});

test('every entity that refers to contacts is listed', () => {
  const naming = references.flatMap(({ of, to }) => (to === Contacts.name ? [of.name] : []));
  expect(namingContacts.map(({ name }) => name)).toEqual(expect.arrayContaining(naming));
});

test.each(references.filter(({ to, with: other }) => to === Contacts.name && other === undefined))(
  'the rows of $of.name that name a contact are found by it',
  ({ of, field, holds }) => {
    const found = fieldsWithin(of).includes(field) ? field : Object.keys(holds?.where(1) ?? { contact: 1 })[0];
    expect([...fieldsWithin(of), ...Object.keys(of.indexes ?? {})]).toContain(found);
  },
);

/** An erasure takes the contact out of them. */
const forgetting = references.filter(
  ({ to, with: other, isOwned, holds }) => to === Contacts.name && !other && !isOwned && !holds,
);

test.each(forgetting)(
  'a row of $of.name goes on without its contact, or says that it goes with it',
  ({ of, field, shows }) => {
    const { entries } = of.schema as unknown as { entries: Record<string, v.GenericSchema> };
    const emptied = [field, ...(shows === undefined ? [] : [shows])];
    expect(emptied.filter((name) => !v.is(entries[name] as v.GenericSchema, null))).toEqual([]);
  },
);

test('every event of what goes with a contact names it, so that an erasure finds what the event says', () => {
  const owned = references.filter(({ to, isOwned }) => to === Contacts.name && isOwned).map(({ of }) => `${of.name}.`);
  // A file of records has events; that of a person has none.
  const ofNobody = new Set(['export.completed']);
  const kinds = Object.entries(eventKinds).filter(
    ([kind]) => owned.some((prefix) => kind.startsWith(prefix)) && !ofNobody.has(kind),
  );
  expect(kinds.filter(([, { data }]) => !('contact_id' in data.entries)).map(([kind]) => kind)).toEqual([]);
  expect(kinds.length).toBeGreaterThan(0);
});

test('the carrier of a reference refers to both of its ends', () => {
  for (const { of, to, with: other } of references.filter((reference) => reference.with !== undefined)) {
    const carrier = entities.find(({ name }) => name === other);
    expect(carrier?.references?.map((reference) => reference.to)).toEqual(expect.arrayContaining([to, of.name]));
  }
});
