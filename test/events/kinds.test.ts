import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { renderEventNames, renderKindsOfCli } from '#infra/event-names.ts';
import { system } from '#lib/core/tenant.ts';
import { eventKinds } from '#lib/events/kinds.ts';
import { eventKindNames } from '#lib/events/names.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';

test.each(eventKindNames)('the example of %s is what its schema says', (kind) => {
  const { data, example } = eventKinds[kind];
  expect(v.parse(data, example)).toEqual(example);
});

test('the names are those of the kinds (npm run event-names)', () => {
  expect(readFileSync('lib/events/names.ts', 'utf8')).toBe(renderEventNames());
  expect(readFileSync('cli/kinds.ts', 'utf8')).toBe(renderKindsOfCli());
});

test('an event whose data is not that of its kind does not compile', () => {
  const tx = new UnitOfWork({ workspaceId: 1, env: 'test' }, system);
  const of = { kind: 'webhook.test', subject: 'webhook/1' } as const;
  tx.emit({ ...of, data: { message: 'm', endpoint_id: '1' } });
  // @ts-expect-error: an id is a text
  tx.emit({ ...of, data: { message: 'm', endpoint_id: 1 } });
  // @ts-expect-error: a field is missing
  tx.emit({ ...of, data: { message: 'm' } });
  // @ts-expect-error: a field is unknown
  tx.emit({ ...of, data: { message: 'm', endpoint_id: '1', url: '' } });
  // @ts-expect-error: the data is that of another kind
  tx.emit({ ...of, kind: 'contact.merged', data: { message: 'm', endpoint_id: '1' } });
  // @ts-expect-error: there is no such kind
  tx.emit({ ...of, kind: 'webhook.tried', data: { message: 'm', endpoint_id: '1' } });
});
