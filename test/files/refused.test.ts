import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isStored } from '#lib/files/bucket.ts';
import { redirect } from '#test/endpoints.ts';

let status = 200;
const s3 = createServer((_, response) => response.writeHead(status).end());
let restore: () => void;
beforeAll(async () => {
  await new Promise<void>((resolve) => s3.listen(0, '127.0.0.1', resolve));
  restore = redirect('S3', `http://127.0.0.1:${(s3.address() as AddressInfo).port}`);
});
afterAll(() => {
  restore();
  s3.closeAllConnections();
  s3.close();
});

test('a file is there, is missing, or S3 does not say', async () => {
  expect(await isStored('files/1')).toBe(true);
  status = 404;
  expect(await isStored('files/1')).toBe(false);
  for (status of [403, 503])
    await expect(isStored('files/1')).rejects.toMatchObject({ $metadata: { httpStatusCode: status } });
});
