import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import * as v from 'valibot';
import { log } from '#lib/log.ts';
import { readable } from '#lib/table/set-aside.ts';
import { parseTenantKey, type Tenant } from '#lib/tenant.ts';

type Signal<Message extends v.ObjectEntries> = v.InferOutput<v.ObjectSchema<Message, undefined>> & { tenant: Tenant };

/**
 * Handles each message of a batch by itself, side by side. One that cannot be read or handled is reported back to its queue, which
 * tells it again and after five times keeps it as a dead letter; the others are done.
 */
export const receive = <Message extends v.ObjectEntries>(
  event: SQSEvent,
  message: Message,
  work: (tenant: Tenant, message: v.InferOutput<v.ObjectSchema<Message, undefined>>) => Promise<void>,
): Promise<SQSBatchResponse> =>
  receiveGroups(event, message, undefined, async ([signal]) => {
    const { tenant, ...rest } = signal as Signal<Message>;
    await work(tenant, rest as never);
    return [];
  });

/**
 * The same for messages of which several are one piece of work: those of a tenant for which `groupOf` says the same. The work may
 * return those that failed while the others of its group did not.
 */
export async function receiveGroups<Message extends v.ObjectEntries>(
  { Records }: SQSEvent,
  message: Message,
  groupOf: ((message: Signal<Message>) => string | number) | undefined,
  work: (signals: [Signal<Message>, ...Signal<Message>[]]) => Promise<readonly Signal<Message>[]>,
): Promise<SQSBatchResponse> {
  const failed: string[] = [];
  const schema = v.object({ ...message, tenant: v.string() });
  const groups = new Map<string, Map<Signal<Message>, SQSRecord>>();
  for (const record of Records) {
    try {
      const read = readMessage(schema, record) as { tenant: string };
      const signal = { ...read, tenant: parseTenantKey(read.tenant) } as Signal<Message>;
      const name = groupOf ? `${read.tenant}/${groupOf(signal)}` : record.messageId;
      groups.set(name, (groups.get(name) ?? new Map()).set(signal, record));
    } catch (error) {
      failed.push(...reported([record], error));
    }
  }
  await Promise.all(
    [...groups.values()].map(async (group) => {
      try {
        const left = await work([...group.keys()] as [Signal<Message>, ...Signal<Message>[]]);
        for (const signal of left) failed.push((group.get(signal) as SQSRecord).messageId);
      } catch (error) {
        failed.push(...reported([...group.values()], error));
      }
    }),
  );
  return answerOf(failed);
}

/** The same for messages that are no timers of ours and name no tenant, each by itself. */
export async function receiveEach<Schema extends v.GenericSchema>(
  { Records }: SQSEvent,
  schema: Schema,
  work: (message: v.InferOutput<Schema>) => Promise<unknown>,
): Promise<SQSBatchResponse> {
  const failed = await Promise.all(
    Records.map(async (record) => {
      try {
        await work(readMessage(schema, record));
        return [];
      } catch (error) {
        return reported([record], error);
      }
    }),
  );
  return answerOf(failed.flat());
}

/** Throws without a word of what the message holds. */
function readMessage<Schema extends v.GenericSchema>(schema: Schema, { body }: SQSRecord): v.InferOutput<Schema> {
  let message: unknown;
  try {
    message = JSON.parse(body);
  } catch {
    throw new Error('a message of a queue is not JSON');
  }
  return readable(schema, message);
}

function reported(records: readonly SQSRecord[], error: unknown): string[] {
  log().error('messages of a queue could not be handled', error as Error);
  return records.map(({ messageId }) => messageId);
}

const answerOf = (failed: readonly string[]): SQSBatchResponse => ({
  batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })),
});
