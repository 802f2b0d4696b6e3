import { expect, test } from 'vitest';
import openapi from '#openapi' with { type: 'json' };
import type { Document } from '#panel/document/document.ts';
import { entriesOf, find } from '#panel/document/search.ts';

const entries = entriesOf(openapi as unknown as Document);
const placesOf = (asked: string): string[] => find(entries, asked).map(({ place }) => place);

test.each<[asked: string, place: string | RegExp]>([
  ['create contact', '/operations/contactsCreate'],
  ['webhook signature', '/events'],
  ['how to verify', '/events'],
  ['pagination', '/home'],
  ['paging', '/home'],
  ['cursor', '/home'],
  ['missing_scope', '/errors/missing_scope'],
  ['find contact by phone', '/operations/contactsList'],
  ['csv', '/operations/exportsCreate'],
  ['rate limit', '/limits'],
  ['429', '/limits'],
  ['send later', '/operations/telegramCreateMessage'],
  ['schedule a message', '/operations/telegramCreateMessage'],
  ['runAt', /Create(Message|Reply)$/],
  ['authentication', '/home'],
  ['idempotency', '/home'],
  ['bulk import contacts', '/operations/contactsBatch'],
  ['erase a contact for GDPR', '/operations/contactsErase'],
  ['upload a file', '/operations/filesCreate'],
  ['replay failed webhooks', '/operations/webhooksReplayFailed'],
  ['add a note to a contact', '/operations/contactsCreateActivity'],
  ['connect Claude', '/mcp'],
  ['custom fields', '/operations/fieldsCreate'],
  ['test a webhook', '/operations/webhooksTest'],
])('the search for “%s” has %s among its first three', (asked, place) => {
  const first = placesOf(asked).slice(0, 3);
  expect(first).toContainEqual(typeof place === 'string' ? place : expect.stringMatching(place));
});

test('a search shows what is nearest when nothing has all of its words', () => {
  expect(placesOf('xylophone webhook signature')[0]).toBe('/events');
  expect(placesOf('xylophone')).toEqual([]);
});
