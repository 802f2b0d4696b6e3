import { expect } from 'vitest';
import type { Answer, Client } from '#test/client.ts';
import { settle } from '#test/harness.ts';

/** Puts a file for an import where it was told to, and returns its id. */
export async function uploadedSheet(client: Client, text: string | Buffer, fileName = 'people.csv'): Promise<number> {
  const bytes = Buffer.from(text as string);
  const { body } = await client.post(
    '/v1/files',
    { purpose: 'import', fileName, contentType: 'text/csv', sizeBytes: bytes.length },
    201,
  );
  const put = await fetch(body.uploadUrl, { method: 'PUT', headers: body.uploadHeaders, body: new Uint8Array(bytes) });
  expect(put.status).toBe(200);
  return body.id;
}

/** Uploads a file, imports it, and returns the import when nothing is due any more. */
export async function imported(
  client: Client,
  text: string | Buffer,
  input: { object: string; mapping: Record<string, string>; [name: string]: unknown },
): Promise<Answer['body']> {
  const fileId = await uploadedSheet(client, text);
  const { body } = await client.post('/v1/imports', { fileId, ...input }, 202);
  await settle();
  return (await client.get(`/v1/imports/${body.id}`)).body;
}

/** Returns the rows that failed, as text. */
export async function errorsOf({ errorsUrl }: { errorsUrl: string }): Promise<string> {
  return Buffer.from(await (await fetch(errorsUrl)).arrayBuffer()).toString();
}
