import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { env } from '#lib/env.ts';
import { badRequest, conflict } from '#lib/problem.ts';
import { documentClient } from '#lib/table/client.ts';
import { duePrefix } from '#lib/table/entity.ts';
import { identity } from '#lib/table/keys.ts';
import { type Row, readRows, writeRows } from '#lib/table/rows.ts';
import { transact } from '#lib/table/transaction.ts';
import { environments, operator, tenantKey } from '#lib/tenant.ts';
import { findRegistry, rotate } from '#lib/webhooks/registry.ts';
import { ArchivedRow, Header, restored, Trailer } from './archive.ts';

/** Kept in memory before they are written together. */
const maxRows = 200;

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
  const others: Row[] = [];
  for await (const row of rowsOf(file)) {
    const made = restored(from, id, row);
    if (row.pk === duePrefix) wakeUps.push(made);
    else if (row.pk.endsWith('#ids')) counters.push(made);
    else if (row.pk === '#workspace') workspace.push(made);
    else if (others.push(made) === maxRows) await put(others.splice(0));
  }
  await put(others);
  await Promise.all(environments.map((name) => renewSecret(id, name)));
  for (const counter of counters) await raise(counter);
  await put(workspace);
  while (wakeUps.length > 0) await put(wakeUps.splice(0, maxRows));
  await documentClient().send(new DeleteCommand({ TableName: env('TABLE_NAME'), Key: markerOf(id) }));
  return counts;
}

const put = (rows: readonly Row[]) => writeRows(rows.map((Item) => ({ PutRequest: { Item } })));

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
  const marker = markerOf(id);
  const pks = [`${id}#ids`, ...environments.map((name) => `${tenantKey({ workspaceId: id, env: name })}#ids`)];
  const found = await readRows([marker, ...pks.map((pk) => ({ pk, sk: 'ids' }))]);
  const hasBegun = found.delete(identity(marker));
  const isUsed = [...found.values()].some((row) => Object.keys(row).some((name) => !unused.includes(name)));
  if (!hasBegun && isUsed) throw conflict('workspace_in_use', `workspace ${id} has data of its own`);
  await demandLast(id);
  try {
    await documentClient().send(
      new PutCommand({
        TableName: env('TABLE_NAME'),
        Item: { ...marker, digest },
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

/** What the counters hold of a new workspace, or of one to whom a key was given. */
const unused = ['pk', 'sk', 'board', 'key'];

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
