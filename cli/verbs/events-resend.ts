import { setTimeout as wait } from 'node:timers/promises';
import type { AnyEvent, CrmClient, Schema } from '../../client/index.ts';
import { connect } from '../connection.ts';
import { attemptLine, isTaken, post, receiverUrl, signingSecret } from '../delivery.ts';
import { findEvent } from '../feed.ts';
import { operandsOf } from '../operands.ts';
import type { Output } from '../output.ts';
import { Failure, UsageError, verb } from '../verb.ts';

const waitMs = 15_000;
const pollMs = 500;

export const eventsResend = verb({
  summary: 'Sends an event again, to an endpoint or to a program on this machine.',
  usage: '<sequence or id> --endpoint ID | --forward-to URL',
  options: {
    endpoint: {
      type: 'string',
      value: 'ID',
      help: 'the API replays its delivery to this endpoint; crm listen gets it too',
    },
    'forward-to': { type: 'string', value: 'URL', help: 'post it there from here, signed as crm listen does' },
    secret: { type: 'string', value: 'whsec_…', help: 'sign with this; default: a fixed secret made of the key' },
  },
  async run({ values, operands, output }) {
    const [given = ''] = operandsOf(operands, '<sequence or id>');
    const { endpoint, 'forward-to': forwardTo } = values;
    if ((endpoint === undefined) === (forwardTo === undefined))
      throw new UsageError('name the target with --endpoint ID or --forward-to URL');
    if (endpoint !== undefined && !/^\d{1,10}$/.test(endpoint))
      throw new UsageError('--endpoint takes the id of an endpoint, a number');
    const url = forwardTo === undefined ? undefined : receiverUrl(forwardTo);
    const { crm, key } = connect(values);
    const secret = signingSecret(values.secret, key);
    const event = await findEvent(crm, given);
    if (event === undefined) throw new Failure(`event ${given} is not in the feed, which keeps 30 days`);
    if (url === undefined) return replay(crm, Number(endpoint), event, output);
    const attempt = await post(url, secret, { kind: event.event, body: JSON.stringify(event), replayOf: null });
    output.result({ type: 'delivery', ...attempt, replayOf: null, event }, attemptLine(attempt));
    if (!isTaken(attempt)) throw new Failure(`${url} did not accept the delivery`);
  },
});

/** Has the API replay its last delivery of the event, and waits for what comes of it. */
async function replay(crm: CrmClient, id: number, event: AnyEvent, output: Output): Promise<void> {
  const original = await deliveryOf(crm, id, event);
  const params = (delivery: Schema<'Delivery'>) => ({ path: { id, deliveryId: delivery.deliveryId } });
  let delivery: Schema<'Delivery'> = await crm.post('/v1/webhooks/{id}/deliveries/{deliveryId}/replay', {
    params: params(original),
  });
  for (const untilMs = Date.now() + waitMs; delivery.status === 'pending' && Date.now() < untilMs; ) {
    await wait(pollMs);
    delivery = await crm.get('/v1/webhooks/{id}/deliveries/{deliveryId}', { params: params(delivery) });
  }
  const { status, responseStatus, durationMs, error } = delivery;
  const outcome = [responseStatus, error].filter((part) => part !== null).join(', ');
  output.result(
    delivery,
    `delivery ${delivery.id} of endpoint ${id}: ${status}${outcome && ` (${outcome} in ${durationMs} ms)`}`,
  );
  if (status !== 'succeeded')
    throw new Failure(`endpoint ${id} has not accepted the delivery${status === 'pending' ? ' yet' : ''}`);
}

async function deliveryOf(crm: CrmClient, id: number, event: AnyEvent): Promise<Schema<'Delivery'>> {
  const query = { eventKind: event.event as Schema<'EventKind'>, since: event.timestamp };
  for await (const delivery of crm.list('/v1/webhooks/{id}/deliveries', { params: { path: { id }, query } })) {
    if (delivery.eventId === event.id && !['pending', 'retrying'].includes(delivery.status)) return delivery;
  }
  throw new Failure(`endpoint ${id} has no finished delivery of ${event.id}`);
}
