import * as v from 'valibot';
import { log } from '#lib/core/log.ts';
import { parseTenantKey, type Tenant } from '#lib/core/tenant.ts';
import { requireReadable } from '#lib/table/dead-letter.ts';

/** As its queue hands it out. */
export interface Message {
  id: string;
  body: string;
}

type Signal<Entries extends v.ObjectEntries> = v.InferOutput<v.ObjectSchema<Entries, undefined>> & { tenant: Tenant };

/**
 * Handles each message of a batch by itself, side by side. Returns those that could not be read or handled: their queue delivers
 * them again, and after five times keeps them as dead letters; the others are done.
 */
export const receive = <Entries extends v.ObjectEntries>(
  messages: readonly Message[],
  entries: Entries,
  work: (tenant: Tenant, message: v.InferOutput<v.ObjectSchema<Entries, undefined>>) => Promise<void>,
): Promise<Message[]> =>
  receiveGroups(messages, entries, undefined, async ([signal]) => {
    const { tenant, ...rest } = signal as Signal<Entries>;
    await work(tenant, rest as never);
    return [];
  });

/**
 * The same for messages of which several are one piece of work: those of a tenant for which `groupOf` says the same. The work may
 * return those that failed while the others of its group did not.
 */
export async function receiveGroups<Entries extends v.ObjectEntries>(
  messages: readonly Message[],
  entries: Entries,
  groupOf: ((message: Signal<Entries>) => string | number) | undefined,
  work: (signals: [Signal<Entries>, ...Signal<Entries>[]]) => Promise<readonly Signal<Entries>[]>,
): Promise<Message[]> {
  const failed: Message[] = [];
  const schema = v.object({ ...entries, tenant: v.string() });
  const groups = new Map<string, Map<Signal<Entries>, Message>>();
  for (const message of messages) {
    try {
      const read = readMessage(schema, message) as { tenant: string };
      const signal = { ...read, tenant: parseTenantKey(read.tenant) } as Signal<Entries>;
      const name = groupOf ? `${read.tenant}/${groupOf(signal)}` : message.id;
      groups.set(name, (groups.get(name) ?? new Map()).set(signal, message));
    } catch (error) {
      failed.push(...logged([message], error));
    }
  }
  await Promise.all(
    [...groups.values()].map(async (group) => {
      try {
        const left = await work([...group.keys()] as [Signal<Entries>, ...Signal<Entries>[]]);
        for (const signal of left) failed.push(group.get(signal) as Message);
      } catch (error) {
        failed.push(...logged([...group.values()], error));
      }
    }),
  );
  return failed;
}

/** The same for messages that are no timers of ours and name no tenant, each by itself. */
export async function receiveEach<Schema extends v.GenericSchema>(
  messages: readonly Message[],
  schema: Schema,
  work: (message: v.InferOutput<Schema>) => Promise<unknown>,
): Promise<Message[]> {
  const failed = await Promise.all(
    messages.map(async (message) => {
      try {
        await work(readMessage(schema, message));
        return [];
      } catch (error) {
        return logged([message], error);
      }
    }),
  );
  return failed.flat();
}

/** Throws without a word of what the message holds. */
function readMessage<Schema extends v.GenericSchema>(schema: Schema, { body }: Message): v.InferOutput<Schema> {
  let message: unknown;
  try {
    message = JSON.parse(body);
  } catch {
    throw new Error('a message of a queue is not JSON');
  }
  return requireReadable(schema, message);
}

function logged(messages: Message[], error: unknown): Message[] {
  log().error('messages of a queue could not be handled', error as Error);
  return messages;
}
