import { expect, test } from 'vitest';
import { browserOf } from '#panel/pages/settings/browser.ts';

const webKit = 'AppleWebKit/537.36 (KHTML, like Gecko)';

test.each([
  { userAgent: `Mozilla/5.0 (X11; Linux x86_64) ${webKit} Chrome/153.0.0.0 Safari/537.36`, name: 'Chrome on Linux' },
  {
    userAgent: `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webKit} Chrome/153.0 Safari/537.36 Edg/153.0`,
    name: 'Edge on Windows',
  },
  {
    userAgent: `Mozilla/5.0 (Linux; Android 16) ${webKit} Chrome/153.0.0.0 Mobile Safari/537.36`,
    name: 'Chrome on Android',
  },
  {
    userAgent: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:150.0) Gecko/20100101 Firefox/150.0',
    name: 'Firefox on macOS',
  },
  {
    userAgent: `Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) ${webKit} Version/19.0 Safari/604.1`,
    name: 'Safari on iPhone',
  },
])('a session is named after its browser and system: $name', ({ userAgent, name }) => {
  const { browser, system } = browserOf(userAgent);
  expect(`${browser} on ${system}`).toBe(name);
});

test.each([
  ['curl/8.5.0', { browser: 'curl', system: undefined }],
  ['Mozilla/5.0 (X11; Linux x86_64)', { browser: undefined, system: 'Linux' }],
  ['Mozilla/5.0', { browser: undefined, system: undefined }],
  ['', { browser: undefined, system: undefined }],
])('a session is named after what it says of itself: %j', (userAgent, name) => {
  expect(browserOf(userAgent)).toEqual(name);
});
