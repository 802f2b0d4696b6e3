import { expect } from 'vitest';
import type { Client } from '#test/client.ts';

export interface NewFile {
  fileName?: string;
  contentType?: string;
  bytes?: Buffer;
}

/** A file that a caller has announced and put where it was told to. */
export async function uploaded(
  client: Client,
  { fileName = 'offer.pdf', contentType = 'application/pdf', bytes = Buffer.from('an offer') }: NewFile = {},
): Promise<number> {
  const { status, body } = await client.post('/v1/files', { fileName, contentType, sizeBytes: bytes.length });
  expect(status).toBe(201);
  const put = await fetch(body.uploadUrl, { method: 'PUT', headers: body.uploadHeaders, body: new Uint8Array(bytes) });
  expect(put.status).toBe(200);
  return body.id;
}
