import { setTimeout as sleep } from 'node:timers/promises';
import { api } from '#test/client.ts';
import type { FaultySystem } from '#test/faults/system.ts';

const giveUpMs = 180_000;
const timeoutMs = 35_000;

/** A client as the contract advises: it repeats a call, under the same Idempotency-Key, until it has an answer. */
export function caller(system: FaultySystem, key: string) {
  let retries = 0;
  const call = async (method: string, path: string, body?: object, idempotencyKey?: string) => {
    const deadline = Date.now() + giveUpMs;
    for (;;) {
      const { baseUrl } = system;
      const answer = baseUrl && (await attempt(baseUrl, key, method, path, body, idempotencyKey));
      if (answer && answer.status < 300) return answer.body;
      if (answer && !isForNow(answer))
        throw new Error(`${method} ${path} answers ${answer.status} ${JSON.stringify(answer.body)}`);
      if (Date.now() > deadline)
        throw new Error(`${method} ${path} has no answer after ${giveUpMs} ms: ${JSON.stringify(answer)}`);
      retries += 1;
      await sleep(200);
    }
  };
  return {
    get retries() {
      return retries;
    },
    get: (path: string) => call('GET', path),
    send: (method: 'POST' | 'PATCH', path: string, body: object, idempotencyKey: string) =>
      call(method, path, body, idempotencyKey),
    async every(path: string) {
      const items = [];
      let after: number | null = null;
      do {
        const page = await call('GET', `${path}?limit=100${after === null ? '' : `&after=${after}`}`);
        items.push(...page.items);
        after = page.hasMore ? page.nextCursor : null;
      } while (after !== null);
      return items;
    },
  };
}

export type Caller = ReturnType<typeof caller>;

type Answer = Awaited<ReturnType<ReturnType<typeof api>['call']>>;

const isForNow = ({ status, body }: Answer) =>
  status >= 500 || status === 429 || body?.details?.reason === 'idempotency_in_progress';

/** Undefined when there was no answer. */
async function attempt(
  baseUrl: string,
  key: string,
  method: string,
  path: string,
  body: object | undefined,
  idempotencyKey: string | undefined,
): Promise<Answer | undefined> {
  const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
  const answered = api(key, { baseUrl }).call(method, path, { headers, body });
  return Promise.race([answered, sleep(timeoutMs, undefined, { ref: false })]).catch(() => undefined);
}
