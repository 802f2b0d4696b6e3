import { messaging, type Platform } from '#lib/core/channel.ts';
import { dayMs, shifted } from '#lib/core/clock.ts';
import type { Tenant } from '#lib/core/tenant.ts';
import document from '#openapi' with { type: 'json' };
import type { Client } from '#test/client.ts';
import { brief, largestCalls } from '#test/contract/largest-calls.ts';
import { everyLetters, type Letters } from '#test/contract/largest-values.ts';
import { uploadedSheet } from '#test/imports/importing.ts';

interface Operation {
  parameters: { name: string }[];
  requestBody?: { content: { 'application/json': { schema: { $ref: string }; example: Record<string, unknown> } } };
}
const paths = document.paths as unknown as Record<string, Partial<Record<'get' | 'post', Operation>>>;
const schemas = document.components.schemas as unknown as Record<string, { required?: string[] }>;

const exampleOf = ({ requestBody }: Operation) => requestBody?.content['application/json'].example ?? {};

/** The example of a body, but for what may be missing: so it names nothing that is not there. */
function leastOf(operation: Operation): Record<string, unknown> {
  const example = exampleOf(operation);
  const { $ref = '' } = operation.requestBody?.content['application/json'].schema ?? {};
  const { required = [] } = schemas[$ref.split('/').at(-1) as string] ?? {};
  return Object.fromEntries(required.map((name) => [name, example[name]]));
}

const inAMonth = () => shifted(new Date(), 30 * dayMs);

/** Returns a body whose file is there, and has the columns that it names. */
async function withFile(client: Client, body: Record<string, unknown>): Promise<Record<string, unknown>> {
  if (!('fileId' in body)) return body;
  const headers = Object.keys(body['mapping'] as object);
  return {
    ...body,
    fileId: await uploadedSheet(client, `${headers.join(',')}\n${headers.map(() => 'x').join(',')}\n`),
  };
}

/** A message that waits, of each channel that has none: the demo may not know the channel. */
async function makeMessages(client: Client, tenant: Tenant): Promise<void> {
  for (const { name: channel, identity } of Object.values(messaging)) {
    if ((await client.get('/v1/jobs', { channel, limit: 1 })).body.items.length > 0) continue;
    const path = `/v1/${channel}/messages`;
    const { text, [identity.field]: userId } = exampleOf(paths[path]?.post as Operation);
    const [account = await connected(client, channel, tenant)] = (
      await client.get(`/v1/${channel}/accounts`, { limit: 1 })
    ).body.items;
    const message = { accountId: account.id, [identity.field]: userId, text, runAt: inAMonth() };
    const { status, body } = await client.post(path, message);
    if (status !== 202)
      throw new Error(`the demo has sent nothing by ${channel}, and ${path} answers ${status} ${brief(body)}`);
  }
}

/** An account, as an operator connects one: callers may have no way to. */
const connected = (client: Client, channel: Platform, tenant: Tenant): Promise<{ id: number }> =>
  largestCalls(client).admin(`${channel}-account create`, everyLetters[0] as Letters, { ...tenant });

/** Makes one of everything that operations make and list, and of which there is none: a noun that the demo does not know. */
export async function makeMissing(client: Client, tenant: Tenant): Promise<void> {
  for (const [path, { get, post }] of Object.entries(paths)) {
    if (path.includes('{') || !post || !get?.parameters.some(({ name }) => name === 'after')) continue;
    if ((await client.get(path, { limit: 1 })).body.items.length > 0) continue;
    const { status, body } = await client.post(path, await withFile(client, leastOf(post)));
    if (status !== 201 && status !== 202)
      throw new Error(`the demo has nothing in ${path}, and its example is answered ${status} ${brief(body)}`);
  }
  await makeMessages(client, tenant);
}
