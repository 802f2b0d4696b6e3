import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { isStored } from '#lib/files/presigned.ts';

let status = 200;
const s3 = createServer((_, response) => response.writeHead(status).end());
beforeAll(async () => {
  await new Promise<void>((resolve) => s3.listen(0, '127.0.0.1', resolve));
  vi.stubEnv('AWS_ENDPOINT_URL_S3', `http://127.0.0.1:${(s3.address() as AddressInfo).port}`);
});
afterAll(() => {
  vi.unstubAllEnvs();
  s3.closeAllConnections();
  s3.close();
});

test('a file is there, is missing, or S3 does not say', async () => {
  expect(await isStored('files/1')).toBe(true);
  status = 404;
  expect(await isStored('files/1')).toBe(false);
  for (status of [403, 503]) await expect(isStored('files/1')).rejects.toThrow(`S3 answered ${status}`);
});
