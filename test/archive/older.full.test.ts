import { describe, expect, test } from 'vitest';
import { restored } from '#lib/archive/archive.ts';
import { misfit } from '#lib/archive/strict.ts';
import { entities } from '#lib/entities/all.ts';
import { type Entity, latestVersion } from '#lib/table/entity.ts';
import { isOneLine } from '#lib/text.ts';
import { rowOf } from './handmade.ts';

const named = (name: string) => entities.find((of) => of.name === name) as Entity;
const lines = 'Ann\nArcher \u0007\tof\u0085here';

/** What release 1.2.0 took by its calls and its mails; this one has one line there, or no control characters. */
const taken: [name: string, fields: Record<string, unknown>][] = [
  ['contact', { name: lines, company: lines, notes: lines, metadata: { a: lines } }],
  ['contact', { name: '\u0007', company: '\u0007', email: 'ann\n@example.com' }],
  ['deal', { title: lines, contactName: lines, notes: lines }],
  ['task', { title: lines, description: lines }],
  ['sequence', { name: lines, steps: [{ id: 1, position: 1, delayMinutes: 0, text: lines }] }],
  ['tag', { name: lines }],
  ['tag', { name: `${'x'.repeat(45)}\nabcd` }],
  ['transaction', { description: lines }],
  ['invoice', { invoiceNumber: lines }],
  ['revenue-source', { name: lines }],
  ['webhook', { description: lines }],
  ['member', { name: lines }],
  ['activity', { field: lines }],
  ['email-thread', { subject: 'x'.repeat(3000), participants: [{ name: 'n'.repeat(5000), email: 'a@example.com' }] }],
  ['email-message', { subject: `${lines}${'x'.repeat(3000)}`, from: { name: lines, email: 'a@example.com' } }],
];

describe.each(taken)('%s %#, as an earlier release wrote it', (name, fields) => {
  const of = named(name);
  const row = { ...rowOf(of), ...fields };

  test('is taken in as this release would write it', () => {
    const [written] = restored(1, 2, row);
    expect(misfit(of.schema, written)).toBeUndefined();
    expect(Object.keys(fields).filter((field) => JSON.stringify(written?.[field])?.includes('\\u00'))).toEqual([]);
  });

  test.runIf(latestVersion(of) > 1)('stays of its version, which its counters know it by', () => {
    const { entityVersion: _, ...first } = row;
    const [written] = restored(1, 2, { ...first, lookAt: null });
    expect(written?.['entityVersion']).toBeUndefined();
    expect(misfit(of.schema, written)).toBeUndefined();
  });
});

test('no more is taken away than has no place', () => {
  const contact = (fields: object) => restored(1, 2, { ...rowOf(named('contact')), ...fields })[0];
  expect(contact({ name: 'Ann\nArcher', notes: 'two\nlines \u0007' })).toMatchObject({
    name: 'Ann Archer',
    notes: 'two\nlines',
  });
  expect(String(contact({ name: 'x'.repeat(201) })?.['name'])).toHaveLength(200);
  expect(contact({ company: '\u0007' })).toMatchObject({ company: null });
  expect(isOneLine(String(restored(1, 2, { ...rowOf(named('deal')), title: '\u0007' })[0]?.['title']))).toBe(true);
});

test('a category, by which sums are kept, stays as it was', () => {
  const category = 'a\nb\u0007';
  expect(restored(1, 2, { ...rowOf(named('transaction')), category })[0]).toMatchObject({ category });
});

test('two tags stay two, though their names are one without a line break', () => {
  const tag = (id: number, name: string) =>
    restored(1, 2, { ...rowOf(named('tag')), id, sk: String(id).padStart(10, '0'), name });
  const rows = [...tag(1, 'a b'), ...tag(2, 'a\nb'), ...tag(3, 'A\tB')];
  expect(new Set(rows.map(({ pk, sk }) => `${pk} ${sk}`)).size).toBe(rows.length);
});
