import { expect, test } from 'vitest';
import { auditEntry } from '#lib/http/operation.ts';
import type { Route } from '#lib/http/route.ts';

const key = { keyId: 'k', actor: { type: 'api_key', id: 'k' } } as const;
const facts = { requestId: 'r', method: 'POST', ip: '127.0.0.1', userAgent: null };

test.each([
  ['/v1/contacts/{id}/tags', 'contact'],
  ['/v1/contacts/batch', 'contact'],
  ['/v1/email/threads/{id}', 'email_thread'],
  ['/v1/finance/revenue-sources/{id}', 'finance_revenue_source'],
  ['/v1/companies', 'company'],
])('the audit trail says of %s that it is about a %s', (path, resourceType) => {
  const route = { path } as Route;
  expect(auditEntry(route, key, { ...facts, path }, 200)).toMatchObject({ resourceType, path });
});

test('a key, a session or a secret in a path is not in the audit trail', () => {
  const route = { path: '/v1/contacts/{id}/tags' } as Route;
  const pathOf = (path: string) => auditEntry(route, key, { ...facts, path }, 404).path;
  const secret = 'aB3'.repeat(15);
  expect(pathOf(`/v1/contacts/csk_live_${secret}/tags`)).toBe('/v1/contacts/csk_live_…/tags');
  // Of a Telegram bot, as its own API takes it and as ours does not.
  const bot = `123456789:${'Aa-_'.repeat(9)}`;
  expect(pathOf(`/v1/telegram/accounts/${bot}/connect`)).toBe('/v1/telegram/accounts/123456789:…/connect');
  expect(pathOf(`/bot${bot}/sendMessage`)).toBe('/bot123456789:…/sendMessage');
  expect(pathOf(`/v1/contacts/x-cps_${secret}/tags`)).toBe('/v1/contacts/x-cps_…/tags');
  expect(pathOf(`/v1/contacts/csk%5Flive%5f${secret}/tags`)).toBe('/v1/contacts/csk%5Flive%5f…/tags');
  expect(pathOf(`/v1/contacts/whsec_${secret}%2B?a`)).toBe('/v1/contacts/whsec_…?a');
});
