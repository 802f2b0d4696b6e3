import document from '#openapi' with { type: 'json' };
import type { Client } from '#test/client.ts';
import { brief } from '#test/contract/largest-calls.ts';

interface Operation {
  parameters: { name: string }[];
  requestBody?: { content: { 'application/json': { schema: { $ref: string }; example: Record<string, unknown> } } };
}
const paths = document.paths as unknown as Record<string, Partial<Record<'get' | 'post', Operation>>>;
const schemas = document.components.schemas as unknown as Record<string, { required?: string[] }>;

/** The example of a body, but for what may be missing: so it names nothing that is not there. */
function leastOf({ requestBody }: Operation): Record<string, unknown> {
  const { schema, example } = requestBody?.content['application/json'] ?? { schema: { $ref: '' }, example: {} };
  const { required = [] } = schemas[schema.$ref.split('/').at(-1) as string] ?? {};
  return Object.fromEntries(required.map((name) => [name, example[name]]));
}

/** Makes one of everything that operations make and list, and of which there is none: a noun that the demo does not know. */
export async function makeMissing(client: Client): Promise<void> {
  for (const [path, { get, post }] of Object.entries(paths)) {
    if (path.includes('{') || !post || !get?.parameters.some(({ name }) => name === 'after')) continue;
    if ((await client.get(path, { limit: 1 })).body.items.length > 0) continue;
    const { status, body } = await client.post(path, leastOf(post));
    if (status !== 201)
      throw new Error(`the demo has nothing in ${path}, and its example is answered ${status} ${brief(body)}`);
  }
}
