import { parse } from 'csv-parse/sync';
import { expect } from 'vitest';
import { type Answer, type Client, eventually } from '#test/client.ts';

/** Returns an export once it has ended. */
export async function ended(client: Client, id: number): Promise<Answer['body']> {
  const isOver = async () => {
    const { body } = await client.get(`/v1/exports/${id}`, {}, 200);
    return (body.status === 'completed' || body.status === 'failed') && body;
  };
  return eventually(isOver, 'the export to end', 60_000);
}

/** Asks for an export, and returns it with the bytes of its file. */
export async function exported(client: Client, body: object) {
  const { body: begun } = await client.post('/v1/exports', body, 202);
  const found = await ended(client, begun.id);
  expect(found).toMatchObject({ status: 'completed', error: null });
  const answer = await fetch(found.url);
  expect(answer.status).toBe(200);
  const bytes = Buffer.from(await answer.arrayBuffer());
  expect(bytes.length).toBe(found.sizeBytes);
  return { export: found, headers: answer.headers, bytes };
}

/** Returns the rows of a CSV file by its header. */
export const rowsOf = (bytes: Buffer): Record<string, string>[] => parse(bytes, { columns: true, bom: true });

/** Returns the lines of a file of NDJSON. */
export const linesOf = (bytes: Buffer): Record<string, unknown>[] =>
  bytes
    .toString()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
