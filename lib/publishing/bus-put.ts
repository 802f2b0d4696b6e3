import { EventBridgeClient, PutEventsCommand, type PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import { shortCalls } from '#lib/aws/short-calls.ts';
import { sleep } from '#lib/core/clock.ts';
import { unavailable } from '#lib/core/problem.ts';
import type { Tenant } from '#lib/core/tenant.ts';
import type { FeedEvent } from '#lib/entities/feed-event.ts';
import { bounded } from '#lib/events/bounds.ts';

/** Limits of PutEvents for one call and for one event. */
const maxEntries = 10;
const maxBytes = 256 * 1024;
/** Limit for the data of a cut event: its kind, id, and times need the rest. */
const maxDataBytes = maxBytes - 2048;

const source = 'crm-api';
/** EventBridge counts so much for the time of an event. */
const timeBytes = 14;
const roundsOfBackoff = 4;
const backoffMs = 100;

type Entry = PutEventsRequestEntry & { Source: string; DetailType: string; Detail: string; Resources: [string] };

/** Whether what the bus refuses of a call is put again. */
export type Tries = 'once' | 'again';

let client: EventBridgeClient | undefined;
/** Each call is made once: rows keep what is left of it. */
const eventBridge = () => {
  client ??= new EventBridgeClient(shortCalls(1));
  return client;
};

/**
 * Puts events on the operator's event bus, ten in a call. Of one that is larger than the bus takes, the data are cut and named in
 * `truncated`, as of events in general; the feed has the whole. What the bus refuses of a call is put again.
 */
export async function putEvents(
  { workspaceId }: Tenant,
  events: readonly FeedEvent[],
  bus: string,
  tries: Tries,
  signal?: AbortSignal,
): Promise<void> {
  const calls = batched(events.map((event) => entryOf(event, workspaceId, bus)));
  await Promise.all(calls.map((entries) => putAll(entries, tries, signal)));
}

async function putAll(entries: readonly Entry[], tries: Tries, signal: AbortSignal | undefined): Promise<void> {
  let left = entries;
  for (let round = 1; ; round += 1) {
    const command = new PutEventsCommand({ Entries: [...left] });
    const answer = await eventBridge().send(command, signal && { abortSignal: signal });
    const codes = left.map((_, index) => answer.Entries?.[index]?.ErrorCode);
    const refused = codes.filter((code) => code !== undefined);
    if (refused.length === 0) return;
    if (tries === 'once' || round === roundsOfBackoff) throw refusal(refused);
    left = left.filter((_, index) => codes[index] !== undefined);
    await sleep(Math.random() * backoffMs * 2 ** round);
  }
}

/** Matches error codes of the bus or its permissions. Any other code is about one event. */
const passing = /^(Throttling|Internal|ServiceUnavailable|AccessDenied|NotAuthorized|ResourceNotFound)/;

function refusal(codes: readonly string[]): Error {
  const error = new Error(`the event bus refuses events: ${[...new Set(codes)].join(', ')}`);
  return codes.some((code) => passing.test(code)) ? unavailable(1, error) : error;
}

function entryOf(event: FeedEvent, workspaceId: number, EventBusName: string): Entry {
  const entry: Entry = {
    EventBusName,
    Source: source,
    DetailType: event.event,
    Detail: event.body,
    // Whose it is, which the body does not say.
    Resources: [`workspace/${workspaceId}`],
    Time: new Date(event.timestamp),
  };
  return bytesOf(entry) > maxBytes ? { ...entry, Detail: cut(event.body) } : entry;
}

const bytesOf = ({ Source, DetailType, Detail, Resources }: Entry) =>
  [Source, DetailType, Detail, ...Resources].reduce((sum, text) => sum + Buffer.byteLength(text), timeBytes);

function cut(text: string): string {
  const body = JSON.parse(text);
  return JSON.stringify({ ...body, ...bounded({ data: body.data, truncated: body.truncated }, maxDataBytes) });
}

function batched(entries: readonly Entry[]): Entry[][] {
  const batches: Entry[][] = [];
  let bytes = 0;
  for (const entry of entries) {
    const own = bytesOf(entry);
    const batch = batches.at(-1);
    if (batch && batch.length < maxEntries && bytes + own <= maxBytes) {
      batch.push(entry);
      bytes += own;
    } else {
      batches.push([entry]);
      bytes = own;
    }
  }
  return batches;
}
