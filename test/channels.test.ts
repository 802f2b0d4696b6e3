import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { platforms } from '#lib/channels/channel.ts';
import { Contacts } from '#lib/entities/contact.ts';

test('every folder of lib/channels is a channel of that name, entered in lib/channels/channel.ts', () => {
  const folders = readdirSync('lib/channels', { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name).sort()).toEqual([...platforms].sort());
});

test('no channel is called like an index of contacts, among whose entries its own would lie', () => {
  const indexes = Object.keys(Contacts.indexes ?? {});
  expect(platforms.filter((name) => indexes.includes(name))).toEqual([]);
});
