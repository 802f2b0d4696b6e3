import { keptEvents } from '../../client/kept-events.ts';
import { connect, reaching } from '../connection.ts';
import { eventLine, wantedKinds } from '../feed.ts';
import { countOf, noOperands } from '../operands.ts';
import { printable } from '../output.ts';
import { retrying } from '../retry.ts';
import { together, untilStopped } from '../stop.ts';
import { UsageError, verb } from '../verb.ts';

const pollMs = 500;
const shownCharacters = 200;

export const eventsTail = verb({
  summary: 'Shows events as they happen.',
  usage: '[--events kinds] [--last N | --since SEQUENCE] [--once]',
  options: {
    events: { type: 'string', value: 'KINDS', help: 'only these kinds: contact.created,deal.* (default: all)' },
    last: { type: 'string', value: 'N', help: 'begin with the last N events' },
    since: { type: 'string', value: 'SEQUENCE', help: 'begin after the event of this sequence' },
    once: { type: 'boolean', help: 'exit after the newest event instead of waiting for more' },
  },
  async run({ values, operands, output }) {
    noOperands(operands);
    const { crm, url } = connect(values);
    if (values.last !== undefined && values.since !== undefined)
      throw new UsageError('use either --last or --since, not both');
    const last = countOf('--last', values.last) ?? 0;
    const given = countOf('--since', values.since);
    const isWanted = await wantedKinds(crm, values.events);
    const kept = await keptEvents(crm.get);
    const end = kept?.newest ?? 0;
    const begin = given ?? (kept && Math.max(kept.oldest - 1, end - last));
    if (values.once && (begin ?? 0) >= end) return;

    const stop = untilStopped();
    const fetch = retrying(reaching(url), (text) => output.note(text));
    const lasting = connect(values, { fetch, maxRetries: Number.POSITIVE_INFINITY }).crm;
    const show = async () => {
      const options = { pollMs, signal: stop.signal, ...(begin !== undefined && { since: begin }) };
      for await (const event of lasting.events(options)) {
        if (isWanted(event.event)) {
          const data = printable(JSON.stringify(event.data).slice(0, shownCharacters));
          output.result(event, `${event.timestamp}  ${eventLine(event)}  ${data}`);
        }
        if (values.once && event.sequence !== null && event.sequence >= end) return;
      }
    };
    await together(stop, show());
  },
});
