import { expect, test } from 'vitest';
import { maskPath } from '#lib/http/log.ts';

const contact = { path: '/v1/contacts/{id}/tags/{tagId}' };
const delivery = { path: '/v1/webhooks/{id}/deliveries/{deliveryId}', textParams: ['deliveryId'] as never[] };
const nowhere = { path: '$default' };

test.each([
  [contact, '/v1/contacts/7/tags/2147483647', '/v1/contacts/7/tags/2147483647'],
  [contact, '/v1/contacts/ann@example.com/tags/VIP', contact.path],
  [contact, '/v1/contacts/+4915112345678/tags/4915112345678', contact.path],
  [delivery, '/v1/webhooks/1/deliveries/0b5a3c1e-7f64-4d0a-9a53-8b1c6a4de211', undefined],
  [delivery, '/v1/webhooks/1/deliveries/ann@example.com', '/v1/webhooks/1/deliveries/{deliveryId}'],
  [delivery, `/v1/webhooks/1/deliveries/csk_live_${'aB3'.repeat(15)}`, '/v1/webhooks/1/deliveries/{deliveryId}'],
  [nowhere, '/v1/contcts/7', undefined],
  [nowhere, '/wp-login.php', undefined],
  [nowhere, '/v1/contacts/7/Ann Archer/ann@example.com/+491511234567', '/v1/contacts/7/…/…/…'],
  [nowhere, `/v1/csk_live_${'aB3'.repeat(15)}`, '/v1/…'],
  [nowhere, '/', undefined],
  [nowhere, '/a'.repeat(400), `${'/a'.repeat(11)}/…`],
])('the route %o shows the path %s with its ids alone', (route, path, shown = path) => {
  expect(maskPath(route, path)).toBe(shown);
});
