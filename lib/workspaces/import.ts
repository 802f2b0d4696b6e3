import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { BatchGetCommand, BatchWriteCommand, DeleteCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { env } from '#lib/env.ts';
import { badRequest, conflict } from '#lib/problem.ts';
import { documentClient } from '#lib/table/client.ts';
import { duePrefix } from '#lib/table/entity.ts';
import { transact } from '#lib/table/transaction.ts';
import { environments, operator, tenantKey } from '#lib/tenant.ts';
import { findRegistry, rotate } from '#lib/webhooks/registry.ts';
import { ArchivedRow, Header, type Row, restored, Trailer } from './archive.ts';

const batchSize = 25;
const parallel = 8;

/**
 * Fills a workspace from a file of `exportWorkspace`: a new one of this id, or one in which nothing has been done yet. Its accounts
 * are disconnected, its webhooks and revenue sources inactive, and its webhooks sign with a new secret; what else is due goes on. When it
 * is interrupted the same call finishes it. Returns what the file holds. Raises 400 for a file that is not whole, 409 for a workspace
 * that has data. Needs `kms`.
 */
export async function importWorkspace(id: number, file: string): Promise<Record<string, number>> {
  const { from, digest, counts } = await inspect(file);
  await begin(id, digest);
  // Those by which a workspace is known to be there, and those that start work, come when everything else is in place.
  const counters: Row[] = [];
  const wakeUps: Row[] = [];
  const workspace: Row[] = [];
  const writer = new Writer();
  for await (const row of rowsOf(file)) {
    const made = restored(from, id, row);
    if (row.pk === duePrefix) wakeUps.push(made);
    else if (row.pk.endsWith('#ids')) counters.push(made);
    else if (row.pk === '#workspace') workspace.push(made);
    else await writer.put(made);
  }
  await writer.end();
  await Promise.all(environments.map((name) => renewSecret(id, name)));
  for (const counter of counters) await raise(counter);
  for (const row of [...workspace, ...wakeUps]) await writer.put(row);
  await writer.end();
  await documentClient().send(new DeleteCommand({ TableName: env('TABLE_NAME'), Key: markerOf(id) }));
  return counts;
}

/** Reads the whole file before anything is written. */
async function inspect(file: string) {
  const hash = createHash('sha256');
  let from: number | undefined;
  let rows = 0;
  let trailer: v.InferOutput<typeof Trailer> | undefined;
  for await (const [number, value] of linesOf(file)) {
    hash.update(JSON.stringify(value));
    if (from === undefined) from = parsed(Header, value, number).workspaceId;
    else if (trailer) throw broken(number, 'there is more after the end');
    else if (isTrailer(value)) trailer = parsed(Trailer, value, number);
    else {
      parsed(ArchivedRow, value, number);
      rows += 1;
    }
  }
  if (from === undefined || trailer?.rows !== rows)
    throw badRequest('broken_archive', 'the file is not whole: it was cut off');
  return { from, digest: hash.digest('hex'), counts: trailer.counts };
}

async function* rowsOf(file: string): AsyncGenerator<ArchivedRow> {
  for await (const [number, value] of linesOf(file))
    if (number > 1 && !isTrailer(value)) yield parsed(ArchivedRow, value, number);
}

const isTrailer = (value: unknown) =>
  typeof value === 'object' && value !== null && 'counts' in value && !('pk' in value);

async function* linesOf(file: string): AsyncGenerator<[number, unknown]> {
  let number = 0;
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      throw broken(number, 'is not JSON');
    }
    yield [number, value];
  }
}

function parsed<S extends v.GenericSchema>(schema: S, value: unknown, number: number): v.InferOutput<S> {
  const { success, output, issues } = v.safeParse(schema, value);
  if (success) return output;
  throw broken(number, issues[0].message);
}

const broken = (number: number, what: string) => badRequest('broken_archive', `line ${number} of the file: ${what}`);

const markerOf = (id: number) => ({ pk: `${id}#import`, sk: 'import' });

/** Takes the workspace for this import, unless it has data of its own or another import has begun. */
async function begin(id: number, digest: string): Promise<void> {
  const TableName = env('TABLE_NAME');
  const client = documentClient();
  const pks = [`${id}#ids`, ...environments.map((name) => `${tenantKey({ workspaceId: id, env: name })}#ids`)];
  const Keys = [markerOf(id), ...pks.map((pk) => ({ pk, sk: 'ids' }))];
  const { Responses = {} } = await client.send(
    new BatchGetCommand({ RequestItems: { [TableName]: { Keys, ConsistentRead: true } } }),
  );
  const found = Responses[TableName] ?? [];
  const hasBegun = found.some(({ pk }) => pk === markerOf(id).pk);
  const isUsed = found.some(({ pk, sk, ...counters }) => Object.keys(counters).some((name) => !unused.includes(name)));
  if (!hasBegun && isUsed) throw conflict('workspace_in_use', `workspace ${id} has data of its own`);
  await demandLast(id);
  try {
    await client.send(
      new PutCommand({
        TableName,
        Item: { ...markerOf(id), digest },
        ConditionExpression: 'attribute_not_exists(pk) OR digest = :digest',
        ExpressionAttributeValues: { ':digest': digest },
      }),
    );
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    throw conflict(
      'workspace_in_use',
      `the import of another file into workspace ${id} was interrupted: finish it first`,
    );
  }
}

/** Counters that a new workspace has, or one to whom a key was given; `digest` is the marker's. */
const unused = ['board', 'key', 'digest'];

/** No later workspace gets the same id. */
async function demandLast(id: number): Promise<void> {
  try {
    await documentClient().send(
      new UpdateCommand({
        TableName: env('TABLE_NAME'),
        Key: { pk: 'WORKSPACES', sk: 'ids' },
        UpdateExpression: 'SET #last = :id',
        ConditionExpression: 'attribute_not_exists(#last) OR #last < :id',
        ExpressionAttributeNames: { '#last': 'last' },
        ExpressionAttributeValues: { ':id': id },
      }),
    );
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}

/** The secret that the endpoints had is not in the file. */
const renewSecret = (workspaceId: number, name: (typeof environments)[number]) =>
  transact({ workspaceId, env: name }, operator, async (tx) => {
    if (await findRegistry(tx)) await rotate(tx, 0);
  });

/** Sets id counters beside those that the workspace has already. */
async function raise({ pk, sk, ...counters }: Row): Promise<void> {
  const names = Object.keys(counters);
  if (names.length === 0) return;
  await documentClient().send(
    new UpdateCommand({
      TableName: env('TABLE_NAME'),
      Key: { pk, sk },
      UpdateExpression: `SET ${names.map((_, index) => `#n${index} = :v${index}`).join(', ')}`,
      ExpressionAttributeNames: Object.fromEntries(names.map((name, index) => [`#n${index}`, name])),
      ExpressionAttributeValues: Object.fromEntries(names.map((name, index) => [`:v${index}`, counters[name]])),
    }),
  );
}

/** Puts rows, many at a time. */
class Writer {
  #rows: Row[] = [];

  async put(row: Row): Promise<void> {
    this.#rows.push(row);
    if (this.#rows.length === batchSize * parallel) await this.end();
  }

  async end(): Promise<void> {
    const rows = this.#rows.splice(0);
    const batches = Array.from({ length: Math.ceil(rows.length / batchSize) }, (_, index) =>
      putAll(rows.slice(index * batchSize, (index + 1) * batchSize)),
    );
    await Promise.all(batches);
  }
}

async function putAll(rows: readonly Row[]): Promise<void> {
  const TableName = env('TABLE_NAME');
  let requests: { PutRequest?: unknown }[] = rows.map((Item) => ({ PutRequest: { Item } }));
  while (requests.length > 0) {
    const { UnprocessedItems = {} } = await documentClient().send(
      new BatchWriteCommand({ RequestItems: { [TableName]: requests as { PutRequest: { Item: Row } }[] } }),
    );
    requests = UnprocessedItems[TableName] ?? [];
  }
}
