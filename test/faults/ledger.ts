import type { Caller } from '#test/faults/caller.ts';
import type { BadReceiver, RebindingReceiver } from '#test/faults/receivers.ts';
import { sha256, type Writers } from '#test/faults/writers.ts';
import type { Stored } from '#test/telegram/double.ts';

/** What clients had acknowledged: the id of what was made, by the words that name it. */
export interface Acknowledged {
  contacts: Map<string, number>;
  renamed: Map<string, number>;
  deals: Map<string, number>;
  tasks: Map<string, number>;
  /** Messages that leave through an account. */
  jobs: Map<string, number>;
  mails: Map<string, number>;
}

export const newAcknowledged = (): Acknowledged => ({
  contacts: new Map(),
  renamed: new Map(),
  deals: new Map(),
  tasks: new Map(),
  jobs: new Map(),
  mails: new Map(),
});

export interface SeenEvent {
  id: string;
  event: string;
  sequence: number;
  // biome-ignore lint/suspicious/noExplicitAny: the ledger asserts what it is.
  data: any;
}

export interface Heard {
  id: number;
  contactId: number;
  accountId: number;
  channel: string;
  direction: string;
  body: string;
  attachments: { id: number; status: string }[];
}

export interface Job {
  id: number;
  status: string;
  textPreview: string;
  lastError: string | null;
}

export interface Subscription {
  endpointId: number;
  kinds: '*' | string[];
  /** Undefined for one that can take nothing. */
  receiver: BadReceiver | undefined;
}

export interface Sums {
  events: number;
  succeeded: number;
  failed: number;
  skipped: number;
  replayed: number;
  duplicateDeliveries: number;
  /** Times that a name led to a forbidden address. */
  rebound: number;
  sent: number;
  ambiguous: number;
  refused: number;
  mails: number;
  duplicateMails: number;
  /** Messages that people have written to bots, and files of them. */
  heard: number;
  files: number;
}

const ambiguous = /may or may not have been delivered/;

/** The events that a subscription is told of. */
export const eventsFor = (
  { kinds }: Pick<Subscription, 'kinds'>,
  events: readonly SeenEvent[],
  sequenceBefore: number,
): SeenEvent[] =>
  events.filter(({ event, sequence }) => sequence > sequenceBefore && (kinds === '*' || kinds.includes(event)));

/** Of a message that somebody has written to a bot. */
export const isHeard = ({ event, data }: SeenEvent): boolean =>
  event === 'message.created' && data.channel === 'telegram' && data.direction === 'inbound';

/** The books of a round: every difference between what was acknowledged and what became of it. */
export class Ledger {
  readonly differences: string[] = [];
  /** Of the last event before there were endpoints. */
  readonly #sequenceBefore: number;
  readonly sums: Sums = {
    events: 0,
    succeeded: 0,
    failed: 0,
    skipped: 0,
    replayed: 0,
    duplicateDeliveries: 0,
    rebound: 0,
    sent: 0,
    ambiguous: 0,
    refused: 0,
    mails: 0,
    duplicateMails: 0,
    heard: 0,
    files: 0,
  };

  constructor(sequenceBefore: number) {
    this.#sequenceBefore = sequenceBefore;
  }

  #check(holds: boolean, difference: string): void {
    if (!holds) this.differences.push(difference);
  }

  /** Each thing was made exactly once, under the id that was acknowledged, and its event was written exactly once. */
  async rows(caller: Caller, acknowledged: Acknowledged, events: readonly SeenEvent[]): Promise<void> {
    const made = [
      { noun: 'contact', path: '/v1/contacts', word: 'name', of: acknowledged.contacts },
      { noun: 'deal', path: '/v1/deals', word: 'title', of: acknowledged.deals },
      { noun: 'task', path: '/v1/tasks', word: 'title', of: acknowledged.tasks },
    ];
    for (const { noun, path, word, of } of made) {
      const rows = await caller.every(path);
      this.#check(rows.length === of.size, `${of.size} ${noun}s were acknowledged, there are ${rows.length}`);
      for (const row of rows)
        this.#check(of.get(row[word]) === row.id, `${noun} ${row.id} ("${row[word]}") was not acknowledged so`);
      this.#eventsOf(events, `${noun}.created`, `${noun}_id`, [...of.values()]);
    }
    const renames = events.filter(({ event }) => event === 'contact.updated');
    for (const [company, id] of acknowledged.renamed) {
      const of = renames.filter(({ data }) => data.contact_id === String(id) && data.changes.company?.to === company);
      this.#check(of.length === 1, `the change of contact ${id} to ${company} has ${of.length} events`);
    }
    this.#check(
      renames.length === acknowledged.renamed.size,
      `${acknowledged.renamed.size} changes, ${renames.length} events`,
    );
  }

  #eventsOf(events: readonly SeenEvent[], kind: string, field: string, ids: readonly number[]): void {
    const found = events.filter(({ event }) => event === kind).map(({ data }) => Number(data[field]));
    const missing = ids.filter((id) => !found.includes(id));
    this.#check(missing.length === 0, `no ${kind} for ${missing}`);
    this.#check(found.length === ids.length, `${found.length} events ${kind} for ${ids.length}`);
  }

  /** The feed has no hole, and who polled it saw all of it in its order. */
  feed(events: readonly SeenEvent[], polled: readonly SeenEvent[]): void {
    this.sums.events = events.length;
    const holes = events.filter(({ sequence }, index) => sequence !== index + 1);
    this.#check(holes.length === 0, `the feed has holes before ${holes.map(({ sequence }) => sequence)}`);
    this.#check(new Set(events.map(({ id }) => id)).size === events.length, 'an event is in the feed twice');
    const same = polled.every(({ id, sequence }, index) => id === events[index]?.id && sequence === index + 1);
    this.#check(same && polled.length === events.length, `the poller saw ${polled.length} of ${events.length} events`);
  }

  /**
   * One delivery per event and subscribed endpoint. What succeeded has arrived; what did not is listed, and has arrived by its replay
   * at every endpoint that can take something.
   */
  async deliveries(caller: Caller, { endpointId, kinds, receiver }: Subscription, events: readonly SeenEvent[]) {
    const rows = await caller.every(`/v1/webhooks/${endpointId}/deliveries`);
    const originals = rows.filter(({ replayOfId }) => replayOfId === null);
    const wanted = eventsFor({ kinds }, events, this.#sequenceBefore);
    const told = new Set(originals.map(({ eventId }) => eventId));
    const missing = wanted.filter(({ id }) => !told.has(id));
    this.#check(missing.length === 0, `endpoint ${endpointId} has no delivery of ${missing.map(({ id }) => id)}`);
    const known = new Set(wanted.map(({ id }) => id));
    const others = originals.filter(({ eventId }) => !known.has(eventId));
    this.#check(
      originals.length === wanted.length,
      `endpoint ${endpointId} has ${originals.length} deliveries of ${wanted.length}, of them unknown ${others.map(({ eventId, eventKind, createdAt }) => `${eventKind} ${eventId} at ${createdAt}`)}`,
    );
    const again = rows.filter(({ replayOfId }) => replayOfId !== null);
    const replays = new Map(again.map((row) => [row.replayOfId, row]));
    this.#check(replays.size === again.length, `a delivery of endpoint ${endpointId} was replayed twice`);
    this.sums.replayed += again.length;
    for (const { id, deliveryId, eventId, status } of rows) {
      const taken = receiver?.taken.get(deliveryId);
      if (status === 'succeeded') {
        this.sums.succeeded += 1;
        this.#check(taken?.eventId === eventId, `delivery ${deliveryId} succeeded, and never arrived`);
      } else if (status === 'failed' || status === 'skipped') {
        this.sums[status as 'failed' | 'skipped'] += 1;
        if (receiver)
          this.#check(replays.get(id)?.status === 'succeeded', `delivery ${deliveryId} is ${status} and lost`);
      } else this.#check(false, `delivery ${deliveryId} is ${status} at the end`);
    }
    for (const { count } of receiver?.taken.values() ?? []) this.sums.duplicateDeliveries += count - 1;
  }

  /** Nobody went where a name led that has changed since its endpoint was registered. */
  rebinding({ lies, trapped }: RebindingReceiver): void {
    this.sums.rebound += lies;
    this.#check(trapped === 0, `${trapped} connections were made to a forbidden address`);
  }

  /** What nobody can handle was met and counted, and nobody was served only once it was given up; what only a newer version can was passed on. */
  poison(uncounted: readonly string[], givenUp: readonly string[], newer: number): void {
    this.differences.push(
      ...uncounted,
      ...givenUp.map((row) => `the change ${row} was a dead letter before everybody else was served`),
    );
    this.#check(newer === 1, `${newer} events of a newer version were passed on instead of one`);
  }

  /** Every acknowledged message was sent once, or has failed with a reason; only an ambiguous one may have been sent all the same. */
  messages(jobs: readonly Job[], { jobs: acknowledged }: Acknowledged, stored: readonly Stored[]): void {
    for (const [text, id] of acknowledged) {
      const job = this.#jobOf(jobs, id, text);
      const arrived = stored.filter((one) => one.text === text).length;
      if (job?.status === 'sent') {
        this.sums.sent += 1;
        this.#check(arrived === 1, `message ${id} is sent and arrived ${arrived} times`);
      } else if (ambiguous.test(job?.lastError ?? '')) {
        this.sums.ambiguous += 1;
        this.#check(arrived <= 1, `message ${id} is ambiguous and arrived ${arrived} times`);
      } else {
        this.sums.refused += 1;
        this.#check(job?.status === 'failed', `message ${id} is ${job?.status} at the end`);
        this.#check(arrived === 0, `message ${id} failed (${job?.lastError}) and arrived ${arrived} times`);
      }
    }
  }

  /**
   * Every acknowledged mail was sent: once, or once more where the sender died before it could write that down. Where that happened
   * twice it has failed as ambiguous.
   */
  mails(jobs: readonly Job[], { mails: acknowledged }: Acknowledged, texts: readonly string[]): void {
    for (const [text, id] of acknowledged) {
      const job = this.#jobOf(jobs, id, text);
      const arrived = texts.filter((one) => one === text).length;
      const isAmbiguous = ambiguous.test(job?.lastError ?? '');
      this.#check(
        arrived <= 2 && (isAmbiguous || (job?.status === 'sent' && arrived >= 1)),
        `mail ${id} is ${job?.status} (${job?.lastError}) and arrived ${arrived} times`,
      );
      if (isAmbiguous) this.sums.ambiguous += 1;
      else this.sums.mails += 1;
      this.sums.duplicateMails += Math.max(0, arrived - 1);
    }
  }

  /**
   * Every message that Telegram was told is taken (by a 200, or an offset) is there once, as it was last edited, with whom wrote it; so
   * is its event. What is stored of a file are its sender's bytes. Returns the contacts of those who have written.
   */
  async heard(caller: Caller, written: Writers['written'], events: readonly SeenEvent[]): Promise<Map<string, number>> {
    const contacts: { id: number; name: string }[] = await caller.every('/v1/contacts');
    const messages: Heard[] = await caller.every('/v1/messages');
    const heard = messages.filter(({ channel, direction }) => channel === 'telegram' && direction === 'inbound');
    const whoWrote = new Map<string, number>();
    for (const name of new Set(written.map((one) => one.name))) {
      const [contact, ...others] = contacts.filter((one) => one.name === name);
      this.#check(contact !== undefined && others.length === 0, `${others.length + 1} or no contacts are ${name}`);
      if (contact) whoWrote.set(name, contact.id);
    }
    for (const { accountId, name, body, sha256: wanted } of written) {
      const of = heard.filter((one) => one.accountId === accountId && one.body === body);
      this.#check(of.length === 1, `"${body}" was heard and is there ${of.length} times`);
      const [message] = of;
      if (!message) continue;
      this.sums.heard += 1;
      this.#check(message.contactId === whoWrote.get(name), `"${body}" is not of ${name}`);
      const [attachment] = message.attachments;
      this.#check((attachment !== undefined) === (wanted !== undefined), `"${body}" has another number of files`);
      if (attachment?.status === 'stored') {
        const { url } = await caller.get(`/v1/messages/${message.id}/attachments/${attachment.id}`);
        const bytes = new Uint8Array(await (await fetch(url)).arrayBuffer());
        this.#check(sha256(bytes) === wanted, `the file of "${body}" has other bytes`);
        this.sums.files += 1;
      } else if (attachment)
        this.#check(attachment.status === 'pending', `the file of "${body}" is ${attachment.status}`);
    }
    this.#check(heard.length === written.length, `${written.length} messages were heard, there are ${heard.length}`);
    const told = events.filter(isHeard);
    this.#eventsOf(
      told,
      'message.created',
      'message_id',
      heard.map(({ id }) => id),
    );
    return whoWrote;
  }

  #jobOf(jobs: readonly Job[], id: number, text: string): Job | undefined {
    const job = jobs.find((one) => one.id === id);
    this.#check(job?.textPreview === text, `message ${id} ("${text}") is lost`);
    return job;
  }

  /** Each message, mails included, is there once, and so are its events. */
  jobs(jobs: readonly Job[], { jobs: messages, mails }: Acknowledged, events: readonly SeenEvent[]): void {
    const ids = [...messages.values(), ...mails.values()];
    this.#check(jobs.length === ids.length, `${ids.length} messages were acknowledged, there are ${jobs.length}`);
    this.#eventsOf(events, 'job.completed', 'job_id', ids);
    const sent = jobs.filter(({ status }) => status === 'sent').map(({ id }) => id);
    const outbound = events.filter(({ data }) => data.direction !== 'inbound');
    this.#eventsOf(outbound, 'message.created', 'job_id', sent);
  }
}
