import { afterEach, expect, test, vi } from 'vitest';
import { filesOrigin } from '#lib/files/origin.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

test('the origin of files is that of presigned URLs at Amazon and elsewhere', async () => {
  for (const [at, endpoint] of [undefined, 'http://127.0.0.1:4566'].entries()) {
    vi.stubEnv('AWS_ENDPOINT_URL', undefined);
    vi.stubEnv('AWS_ENDPOINT_URL_S3', endpoint);
    vi.stubEnv('AWS_REGION', 'eu-central-1');
    vi.stubEnv('FILES_BUCKET', 'crmdata-files8e6940b8-abcdefghijkl');
    const url = await presignedIn(at);
    expect(filesOrigin()).toBe(new URL(url).origin);
  }
});

/** The signer is kept by its module, so each environment has a module of its own. */
async function presignedIn(environment: number): Promise<string> {
  const { downloadUrlOf } = (await import(
    `#lib/files/presigned.ts?${environment}`
  )) as typeof import('#lib/files/presigned.ts');
  return downloadUrlOf('messages/1', { disposition: 'attachment', contentType: 'image/png', expiresSeconds: 300 });
}
