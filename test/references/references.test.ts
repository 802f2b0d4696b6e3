import { expect, test } from 'vitest';
import { entities } from '#lib/entities/all.ts';
import { Contacts } from '#lib/entities/contact.ts';
import { namingContacts } from '#lib/entities/naming-contacts.ts';
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

test('those that refer to contacts are listed', () => {
  const naming = references.flatMap(({ of, to }) => (to === Contacts.name ? [of.name] : []));
  expect(namingContacts.map(({ name }) => name)).toEqual(expect.arrayContaining(naming));
});

test.each(references.filter(({ to, with: other }) => to === Contacts.name && other === undefined))(
  'the rows of $of.name that name a contact are found by it',
  ({ of, field }) => {
    expect([...fieldsWithin(of), ...Object.keys(of.indexes ?? {})]).toEqual(
      expect.arrayContaining([fieldsWithin(of).includes(field) ? field : 'contact']),
    );
  },
);

test('what other rows take along names what they name, and they name it', () => {
  for (const { of, to, with: other } of references.filter((reference) => reference.with !== undefined)) {
    const carrier = entities.find(({ name }) => name === other);
    expect(carrier?.references?.map((reference) => reference.to)).toEqual(expect.arrayContaining([to, of.name]));
  }
});
