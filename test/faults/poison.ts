import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchGetCommand, DynamoDBDocumentClient, PutCommand, type PutCommandInput } from '@aws-sdk/lib-dynamodb';
import { shifted, timestamp } from '#lib/core/clock.ts';
import { queues } from '#lib/core/queues.ts';
import type { DeadLetter } from '#lib/table/dead-letter.ts';
import { shardOf } from '#lib/table/keys.ts';
import type { FaultySystem } from '#test/faults/system.ts';

type Row = Record<string, unknown> & { pk: string; sk: string };

/** Until every row was met: the sweeper comes once a minute. */
const giveUpMs = 150_000;

/** One that a version after this has written: it is passed on as it is. */
export const newerKind = 'contact.exploded';

const changeRow = (tenant: string, fields: object): Row => ({
  pk: `OUTBOX#${shardOf('outbox', tenant)}`,
  sk: `${new Date().toISOString()}#${randomUUID()}`,
  tenant,
  now: timestamp(),
  actor: { type: 'system', id: null },
  events: [{ kind: newerKind, id: randomUUID(), timestamp: timestamp(), subject: 'poison', data: '{}', ...fields }],
});

const unknownTenant = '2147483647:live';

/** Changes that a newer version may have written, or a bug: they are tried for an hour. */
const unreadable = (tenant: string): Row[] => [
  changeRow(tenant, { data: '{"half": ' }),
  { ...changeRow(tenant, {}), events: 'none' },
  { ...changeRow(tenant, {}), tenant: 'nobody' },
  { ...changeRow(tenant, {}), tenant: undefined },
];

/** Other rows of the shared queues that nobody can handle, in the shards of a tenant whose work goes on beside them. */
function poisonRows(tenant: string): Row[] {
  const due = (fields: object): Row => {
    const at = shifted(new Date(), -60_000);
    const message = { endpointId: 1 };
    const row = { at, queue: 'deliveries', tenant, message, group: tenant, ...fields };
    return { pk: `DUE#${shardOf('due', tenant)}`, sk: `${at}#poison#${randomUUID()}`, ...row };
  };
  return [
    // Its id is in the row of the feed twice, which does not fit.
    changeRow(tenant, { id: 'x'.repeat(390_000) }),
    due({ queue: 'none' }),
    due({ message: 'none' }),
    due({ tenant: 7 }),
    due({ queue: 'telegram', tenant: unknownTenant, message: { accountId: 'x', jobId: {} } }),
    due({ queue: 'sagas', tenant: unknownTenant, message: { sagaId: 'none' } }),
    due({ queue: 'invoices', tenant: unknownTenant, message: { invoiceId: -1 } }),
    ...queues.map((queue) => due({ queue, tenant: unknownTenant, message: {} })),
  ];
}

/** What a queue may hold that no worker reads, in one batch with what it does. */
const messages = ['not JSON', '{', '[]', 'null', '{"tenant": 7}', '{"tenant": "nobody", "endpointId": "x"}'];

const control = '\u0001';
/** Mails that are hard to read or to keep; the last one names nobody who wrote it. */
function mails(): string[] {
  const id = randomUUID();
  const head = `From: Eve <eve@example.org>\r\nMessage-ID: <${id}@example.org>\r\nSubject: Poison`;
  const nested = Array.from(
    { length: 60 },
    (_, depth) => `Content-Type: multipart/mixed; boundary=b${depth}\r\n\r\n--b${depth}`,
  );
  return [
    `${head}\r\n\r\n${control.repeat(15_000)}`,
    `${head.replace('Eve', 'E'.repeat(30_000)).replace(id, `${id}${'i'.repeat(30_000)}`)}\r\n\r\nnames`,
    `${head}\r\n${nested.join('\r\n')}\r\n\r\ndeep`,
    `${head}\r\nContent-Type: text/plain; format=flowed\r\n\r\n${'> \r\n'.repeat(15_000)}`,
    `${head}\r\nContent-Type: text/html\r\n\r\n${'<br '.repeat(15_000)}`,
    'Subject: from nobody\r\n\r\nnothing',
  ];
}

/** Until no conflict is injected: the SDK does not repeat what was refused beside a transaction. */
async function put(table: DynamoDBDocumentClient, input: PutCommandInput): Promise<void> {
  const error = await table.send(new PutCommand(input)).then(
    () => undefined,
    (reason: Error) => reason,
  );
  if (error?.name === 'TransactionConflictException') return put(table, input);
  if (error) throw error;
}

/** What somebody outside, a bug or another version may leave in the queues that all share: it must hold up nobody. */
export class Poison {
  readonly #system: FaultySystem;
  readonly #rows: Row[];
  readonly #unreadable: Row[];
  readonly #newer: Row;

  constructor(system: FaultySystem, tenant: string) {
    this.#system = system;
    this.#unreadable = unreadable(tenant);
    this.#rows = [...this.#unreadable, ...poisonRows(tenant)];
    this.#newer = changeRow(tenant, {});
  }

  get count(): number {
    return this.#rows.length + messages.length * queues.length + mails().length;
  }

  async spread(place: { workspaceId: number; env: string }): Promise<void> {
    await this.#withTable(async (table, TableName) => {
      for (const Item of [...this.#rows, this.#newer]) await put(table, { TableName, Item });
    });
    for (const queue of queues) await this.#system.sendMessages(queue, messages);
    for (const raw of mails()) await this.#system.admin('email', 'receive', { ...place, raw });
  }

  /** Returns the changes that are dead letters already: whoever is served before has not waited for it. */
  async givenUp(): Promise<string[]> {
    const places = await this.#dead();
    return this.#unreadable.map(({ sk }) => sk).filter((sk) => places.some((id) => id.includes(sk)));
  }

  async #dead(): Promise<string[]> {
    return (await this.#system.admin<DeadLetter[]>('dead-letter', 'list', {})).map(({ id }) => id);
  }

  /** Returns what is no dead letter and was not counted as tried, once everybody had the time to meet it. */
  async differences(): Promise<string[]> {
    const deadline = Date.now() + giveUpMs;
    for (;;) {
      const unmet = await this.#unmet();
      if (unmet.length === 0 || Date.now() > deadline) return unmet.map((name) => `nobody counts ${name}`);
      await sleep(2_000);
    }
  }

  async #unmet(): Promise<string[]> {
    const places = await this.#dead();
    const stored = await this.#withTable(async (table, TableName) => {
      const Keys = this.#rows.map(({ pk, sk }) => ({ pk, sk }));
      const { Responses } = await table.send(new BatchGetCommand({ RequestItems: { [TableName]: { Keys } } }));
      return new Map(Responses?.[TableName]?.map((row) => [row['sk'] as string, row]));
    });
    return this.#rows.flatMap(({ pk, sk }) => {
      const isDead = places.some((id) => id.includes(sk));
      const tries = (stored.get(sk)?.['tries'] as number | undefined) ?? 0;
      return isDead || tries > 0 ? [] : [`${pk} ${sk}`];
    });
  }

  async #withTable<Result>(work: (table: DynamoDBDocumentClient, name: string) => Promise<Result>): Promise<Result> {
    const { env, credentials } = await this.#system.environment();
    const client = new DynamoDBClient({
      endpoint: env['AWS_ENDPOINT_URL_DYNAMODB'] as string,
      region: 'us-east-1',
      credentials,
      maxAttempts: 10,
    });
    try {
      const options = { marshallOptions: { removeUndefinedValues: true } };
      return await work(DynamoDBDocumentClient.from(client, options), env['TABLE_NAME'] as string);
    } finally {
      client.destroy();
    }
  }
}
