import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { deliverableUrl } from '#lib/webhooks/url.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

const refusal = async (url: string, env: 'live' | 'test' = 'live') =>
  deliverableUrl(url, env).then(
    () => null,
    ({ body }) => body.details.fields[0],
  );

const invalid = { field: 'url', code: 'invalid_format', message: 'url must be an https URL' };
const notAllowed = {
  field: 'url',
  code: 'not_allowed',
  message: 'url must not point to a private, loopback, link-local or metadata address',
};

describe('where private networks are denied', () => {
  beforeEach(() => {
    vi.stubEnv('WEBHOOK_PRIVATE_NETWORKS', 'deny');
  });

  test('a live url is https, a test url may be http', async () => {
    expect(await refusal('https://8.8.8.8/hook')).toBeNull();
    expect(await refusal('http://8.8.8.8/hook')).toEqual(invalid);
    expect(await refusal('http://8.8.8.8/hook', 'test')).toBeNull();
  });

  test.each(['ftp://8.8.8.8/', 'hook', '//8.8.8.8/', 'javascript:alert(1)', 'https://', 'file:///etc/passwd'])(
    '%s is no url to send to',
    async (url) => {
      expect(await refusal(url, 'test')).toEqual(invalid);
    },
  );

  test('a url has no user-info', async () => {
    expect(await refusal('https://user:password@8.8.8.8/')).toMatchObject({ code: 'invalid_format' });
    expect(await refusal('https://user@8.8.8.8/')).toMatchObject({ code: 'invalid_format' });
  });

  test.each(['https://a..b/', 'https://./', 'https://.example.com/', 'https://8.8.8.8:0/'])(
    '%s names no host, or no port',
    async (url) => {
      expect(await refusal(url)).toMatchObject({ code: 'invalid_format' });
    },
  );

  test.each(['127.0.0.1', '0x7f.1', '[::1]', '[::ffff:10.0.0.1]', '169.254.169.254', 'localhost', '192.168.1.1:8080'])(
    'https://%s/ is refused, with a test key too',
    async (host) => {
      expect(await refusal(`https://${host}/`)).toEqual(notAllowed);
      expect(await refusal(`http://${host}/`, 'test')).toEqual(notAllowed);
    },
  );
});

test('where they are allowed, http and loopback addresses are too', async () => {
  vi.stubEnv('WEBHOOK_PRIVATE_NETWORKS', 'allow');
  expect(await refusal('http://127.0.0.1:3000/')).toBeNull();
  expect(await refusal('ftp://127.0.0.1:3000/')).toEqual(invalid);
});

test('a url is kept as it will be called', async () => {
  vi.stubEnv('WEBHOOK_PRIVATE_NETWORKS', 'allow');
  for (const [typed, called] of [
    ['HTTP://127.0.0.1:80', 'http://127.0.0.1/'],
    ['http://0x7f.1/a/../b c', 'http://127.0.0.1/b%20c'],
    ['http:\\\\127.0.0.1\\hook?q=\u00e9', 'http://127.0.0.1/hook?q=%C3%A9'],
  ] as const)
    expect(await deliverableUrl(typed, 'test')).toBe(called);
  expect(await refusal('http://127.0.0.1/#part')).toMatchObject({ field: 'url', code: 'invalid_format' });
  expect(await refusal(`http://127.0.0.1/${'\u00e9'.repeat(1000)}`)).toMatchObject({ field: 'url', code: 'too_long' });
});
