import type { AnyEvent, CrmClient } from '../../client/index.ts';
import { keptEvents } from '../../client/kept-events.ts';
import { connect, reaching } from '../connection.ts';
import { attemptLine, type Delivery, post, receiverUrl, signingSecret } from '../delivery.ts';
import { checkPatterns, eventLine, fits, wantedKinds } from '../feed.ts';
import { noOperands } from '../operands.ts';
import { type Output, timeOfDay } from '../output.ts';
import { newestDeliveries, repeatedDeliveries } from '../replays.ts';
import { retrying } from '../retry.ts';
import { onKeys, together, untilStopped } from '../stop.ts';
import { UsageError, verb } from '../verb.ts';

const pollMs = 500;

export const listen = verb({
  summary: 'Forwards events to a program on this machine as they happen, signed like webhooks.',
  usage: '--forward-to URL [--events kinds] [--map kind=URL]…',
  options: {
    'forward-to': { type: 'string', value: 'URL', help: 'where events are posted: http://localhost:4000/hook' },
    events: { type: 'string', value: 'KINDS', help: 'only these kinds: contact.created,deal.* (default: all)' },
    map: { type: 'string', multiple: true, value: 'KIND=URL', help: 'another URL for a kind (deal.*=URL); repeatable' },
    secret: { type: 'string', value: 'whsec_…', help: 'sign with this; default: a fixed secret made of the key' },
    'print-secret': { type: 'boolean', help: 'print only the secret and exit' },
  },
  more: `Replays, and deliveries of webhook.test, to the endpoints that are registered come too, within seconds.
In a terminal, r sends the last one again, q or Ctrl-C ends.`,
  async run({ values, operands, output }) {
    noOperands(operands);
    const { crm, key, url, env } = connect(values);
    const secret = signingSecret(values.secret, key);
    if (values['print-secret']) return output.result({ secret }, secret);
    const targets = targetsOf(values['forward-to'], values.map ?? []);
    await checkPatterns(
      crm,
      targets.map(({ pattern }) => pattern).filter((pattern) => pattern !== '*'),
    );
    const isWanted = await wantedKinds(crm, values.events);
    const newest = await newestDeliveries(crm);
    const since = (await keptEvents(crm.get))?.newest;

    const stop = untilStopped();
    const fetch = retrying(reaching(url), (text) => output.note(text));
    const lasting = connect(values, { fetch, maxRetries: Number.POSITIVE_INFINITY }).crm;
    const forward = forwarding({ targets, secret, output, stop });
    onKeys(stop, { r: forward.again });
    if (output.isJson) output.result({ type: 'ready', url, env, secret, since: since ?? null });
    else output.note(`listening to ${url} (${env}); the signing secret is ${secret}`);
    await together(
      stop,
      followFeed(lasting, { since, isWanted, signal: stop.signal, forward: forward.send }),
      followReplays(lasting, { newest, isWanted, signal: stop.signal, forward: forward.send }),
    );
  },
});

interface Target {
  pattern: string;
  url: string;
}

/** The first that fits a kind is its own; `--forward-to` comes last. */
function targetsOf(forwardTo: string | undefined, maps: readonly string[]): Target[] {
  const targets = maps.map((map) => {
    const [, pattern, url] = /^([^=]+)=(.+)$/.exec(map) ?? [];
    if (pattern === undefined || url === undefined) throw new UsageError(`--map is KIND=URL, not "${map}"`);
    return { pattern, url: receiverUrl(url) };
  });
  if (forwardTo !== undefined) targets.push({ pattern: '*', url: receiverUrl(forwardTo) });
  if (targets.length === 0)
    throw new UsageError('--forward-to is missing; to show events without forwarding them, use crm events tail');
  return targets;
}

interface Following {
  isWanted: (kind: string) => boolean;
  signal: AbortSignal;
  forward: (event: AnyEvent, delivery: Delivery) => void;
}

async function followFeed(
  crm: CrmClient,
  { since, isWanted, signal, forward }: Following & { since: number | undefined },
): Promise<void> {
  for await (const event of crm.events({ pollMs, signal, ...(since !== undefined && { since }) })) {
    if (isWanted(event.event)) forward(event, { kind: event.event, body: JSON.stringify(event), replayOf: null });
  }
}

async function followReplays(
  crm: CrmClient,
  { newest, isWanted, signal, forward }: Following & { newest: Map<number, number> },
): Promise<void> {
  for await (const repeated of repeatedDeliveries(crm, newest, signal)) {
    if (isWanted(repeated.kind)) forward(JSON.parse(repeated.body), repeated);
  }
}

interface Forwarding {
  targets: readonly Target[];
  secret: string;
  output: Output;
  stop: AbortController;
}

/** One after the other, so that a receiver gets them in their order. */
function forwarding({ targets, secret, output, stop: { signal } }: Forwarding) {
  let turn = Promise.resolve();
  let last: { event: AnyEvent; delivery: Delivery } | undefined;
  const send = (event: AnyEvent, delivery: Delivery) => {
    const url = targets.find(({ pattern }) => fits(pattern, delivery.kind))?.url;
    if (url === undefined) return;
    if (!output.isJson) output.text(`${timeOfDay()}  ${eventLine(event)}${delivery.replayOf === null ? '' : ' again'}`);
    turn = turn.then(async () => {
      if (signal.aborted) return;
      const attempt = await post(url, secret, delivery, signal);
      if (signal.aborted) return;
      last = { event, delivery: { ...delivery, replayOf: attempt.deliveryId } };
      output.result({ type: 'delivery', ...attempt, replayOf: delivery.replayOf, event }, attemptLine(attempt));
    });
  };
  const again = () => {
    if (last === undefined) output.note('nothing was sent yet');
    else send(last.event, last.delivery);
  };
  return { send, again };
}
