import { setTimeout as wait } from 'node:timers/promises';
import type { CrmClient, Schema } from '../../client/index.ts';
import { connect, reaching } from '../connection.ts';
import { countOf, noOperands } from '../operands.ts';
import { green, printable, red } from '../output.ts';
import { retrying } from '../retry.ts';
import { together, untilStopped } from '../stop.ts';
import { verb } from '../verb.ts';

type Request = Schema<'RequestLog'>;

/** A request is in the log within a minute, and not always in its turn. */
const lateMs = 90_000;
const perPageMs = 1000;
const pageSize = 100;
const own = '/v1/request-logs';

export const logsTail = verb({
  summary: 'Shows the requests of all keys of the workspace as they are logged.',
  usage: '[--status 4xx] [--method M] [--route R] [--key-id K] [--last N] [--once]',
  options: {
    status: { type: 'string', value: 'S', help: 'only these: 404, or 4xx' },
    method: { type: 'string', value: 'M', help: 'only these: POST' },
    route: { type: 'string', value: 'R', help: 'only these: /v1/contacts/{id}' },
    'key-id': { type: 'string', value: 'K', help: 'only requests of this key, by its public 12 characters' },
    last: { type: 'string', value: 'N', help: 'begin with the last N requests' },
    once: { type: 'boolean', help: 'exit after these instead of waiting for more' },
  },
  more: `A request shows within a minute. The calls of this verb are left out, unless --route asks for them.
The key needs the scope keys:manage.`,
  async run({ values, operands, output }) {
    noOperands(operands);
    const last = countOf('--last', values.last) ?? 0;
    const { status, method, route, 'key-id': keyId } = values;
    const given = Object.entries({ status, method, route, keyId }).filter(([, value]) => value !== undefined);
    const query = { ...Object.fromEntries(given), limit: pageSize };
    const isShown = (request: Request) => route !== undefined || request.route !== own;
    const show = (request: Request) => output.result(request, lineOf(request));

    const { url } = connect(values);
    // The log's clock is the API's.
    let now = Date.now();
    const timed =
      (fetch: (request: globalThis.Request) => Promise<Response>) => async (request: globalThis.Request) => {
        const response = await fetch(request);
        now = Date.parse(response.headers.get('date') ?? '') || Date.now();
        return response;
      };
    const young = () => ({ ...query, since: new Date(now - lateMs).toISOString() });

    const { crm } = connect(values, { fetch: timed(reaching(url)) });
    // Reads the existing requests, even if none of them is shown.
    const before = await requestsOf(crm, young());
    const recent = last === 0 ? [] : await latest(crm, query, last, isShown);
    for (const request of recent.toReversed()) show(request);
    if (values.once) return;

    const stop = untilStopped();
    const fetch = timed(retrying(reaching(url), (text) => output.note(text)));
    const lasting = connect(values, { fetch, maxRetries: Number.POSITIVE_INFINITY }).crm;
    const follow = async () => {
      let seen = new Set([...before, ...recent].map(({ id }) => id));
      for (let pages = 1; ; ) {
        await wait(Math.max(2, pages) * perPageMs, undefined, { signal: stop.signal });
        const found = await requestsOf(lasting, young(), stop.signal);
        for (const request of found.toReversed()) if (!seen.has(request.id) && isShown(request)) show(request);
        seen = new Set(found.map(({ id }) => id));
        pages = Math.ceil(found.length / pageSize);
      }
    };
    await together(stop, follow());
  },
});

/** Newest first. */
async function requestsOf(crm: CrmClient, query: object, signal?: AbortSignal): Promise<Request[]> {
  const found: Request[] = [];
  for await (const request of crm.list(own, { params: { query }, ...(signal && { signal }) })) found.push(request);
  return found;
}

async function latest(crm: CrmClient, query: object, count: number, isShown: (request: Request) => boolean) {
  const found: Request[] = [];
  for await (const request of crm.list(own, { params: { query } })) {
    if (isShown(request) && found.push(request) === count) break;
  }
  return found;
}

function lineOf({ at, method, path, status, reason, durationMs, keyId, requestId }: Request): string {
  const outcome = status < 400 ? green(String(status)) : red(String(status));
  const why = reason === null ? '' : ` ${reason}`;
  return `${at}  ${outcome} ${method} ${printable(path)}  ${durationMs} ms, key ${keyId}, ${requestId}${why}`;
}
