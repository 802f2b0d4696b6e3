import { expect, it } from 'vitest';
import { decrypt, encrypt } from '#lib/secrets.ts';

it('keeps a secret that only its own context opens', async () => {
  const stored = await encrypt('a token', { account: '1' });
  expect(stored).not.toContain('token');
  expect(await decrypt(stored, { account: '1' })).toBe('a token');
  await expect(decrypt(stored, { account: '2' })).rejects.toThrow();
});
