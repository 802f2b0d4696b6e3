import { type AttributeValue, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  type BatchGetCommandInput,
  type BatchGetCommandOutput,
  BatchWriteCommand,
  type BatchWriteCommandInput,
  type BatchWriteCommandOutput,
  DeleteCommand,
  type DeleteCommandInput,
  type DeleteCommandOutput,
  DynamoDBDocumentClient,
  GetCommand,
  type GetCommandInput,
  type GetCommandOutput,
  PutCommand,
  type PutCommandInput,
  type PutCommandOutput,
  QueryCommand,
  type QueryCommandInput,
  type QueryCommandOutput,
  ScanCommand,
  type ScanCommandInput,
  type ScanCommandOutput,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  type TransactWriteCommandOutput,
  UpdateCommand,
  type UpdateCommandInput,
  type UpdateCommandOutput,
} from '@aws-sdk/lib-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { shortCalls } from '../aws/short-calls.ts';
import { countReadUnits, countWriteUnits } from './usage.ts';

type Attributes = Record<string, unknown>;

const marshallOptions = { removeUndefinedValues: true, allowImpreciseNumbers: true };

/** Sums of money pass 2^53 cents: DynamoDB counts them exactly, and they are shown as the number next to them. */
const unmarshallOptions = { wrapNumbers: Number };

/** Returns the plain values of an item as the SDK's client has it, or as a stream shows it. */
export const attributesOf = (item: object): Attributes =>
  unmarshall(item as Record<string, AttributeValue>, unmarshallOptions);

/** Returns an item as a later read will have it. */
export const asRead = (item: object): Attributes => attributesOf(marshall(item, marshallOptions));

/** Calls of the table with their inputs and outputs; attributes are plain values. */
export interface Operations {
  BatchGetItem: { input: BatchGetCommandInput; output: BatchGetCommandOutput };
  BatchWriteItem: { input: BatchWriteCommandInput; output: BatchWriteCommandOutput };
  DeleteItem: { input: DeleteCommandInput; output: DeleteCommandOutput };
  GetItem: { input: GetCommandInput; output: GetCommandOutput };
  PutItem: { input: PutCommandInput; output: PutCommandOutput };
  Query: { input: QueryCommandInput; output: QueryCommandOutput };
  Scan: { input: ScanCommandInput; output: ScanCommandOutput };
  TransactWriteItems: { input: TransactWriteCommandInput; output: TransactWriteCommandOutput };
  UpdateItem: { input: UpdateCommandInput; output: UpdateCommandOutput };
}

type Answer<Name extends keyof Operations> = Omit<Operations[Name]['output'], '$metadata'>;

const commands = {
  BatchGetItem: BatchGetCommand,
  BatchWriteItem: BatchWriteCommand,
  DeleteItem: DeleteCommand,
  GetItem: GetCommand,
  PutItem: PutCommand,
  Query: QueryCommand,
  Scan: ScanCommand,
  TransactWriteItems: TransactWriteCommand,
  UpdateItem: UpdateCommand,
};

let client: DynamoDBDocumentClient | undefined;

/** Returns the client of this process. */
export function documentClient(): DynamoDBDocumentClient {
  if (client === undefined) {
    // Copies, since the client writes into them.
    const options = { marshallOptions: { ...marshallOptions }, unmarshallOptions: { ...unmarshallOptions } };
    client = DynamoDBDocumentClient.from(new DynamoDBClient(shortCalls()), options);
    // It goes through all of a call for a log that nobody keeps.
    client.middlewareStack.remove('loggerMiddleware');
  }
  return client;
}

/** DynamoDB (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.LowLevelAPI.html). */
export const dynamodb = {
  /** Raises what DynamoDB says (`failureOf`), and what breaks the connection. */
  async send<Name extends keyof Operations>(
    operation: Name,
    input: Operations[Name]['input'],
    signal?: AbortSignal,
  ): Promise<Answer<Name>> {
    const command = new commands[operation]({ ...input, ReturnConsumedCapacity: 'TOTAL' } as never) as GetCommand;
    const sent = documentClient().send(command, signal && { abortSignal: signal });
    const answer = (await sent.catch(withPlainItems)) as Answer<Name>;
    const count = isRead(operation) ? countReadUnits : countWriteUnits;
    for (const { CapacityUnits = 0 } of [answer.ConsumedCapacity ?? []].flat()) count(CapacityUnits);
    return answer;
  },
};

/**
 * Throws what DynamoDB says of a failed call, with plain items. They can be read, but whoever prints the error prints none: what a row
 * holds is no matter of a log.
 */
function withPlainItems(error: unknown): never {
  const failure = failureOf(error);
  for (const one of [failure, ...(failure.CancellationReasons ?? [])])
    if (one.Item) Object.defineProperty(one, 'Item', { value: attributesOf(one.Item), enumerable: false });
  throw error;
}

const isRead = (operation: keyof Operations) => /Get|Query|Scan/.test(operation);

interface Failure {
  name?: string;
  $metadata?: unknown;
  Item?: Attributes;
  CancellationReasons?: { Code?: string; Item?: Attributes }[];
}

/** Returns what a service said of a failed call; an error of any other kind has none of it. */
export const failureOf = (error: unknown): Failure => (error instanceof Error ? error : {});

/** Whether a write met somebody's transaction on the same item, which was repeated in vain. */
export const isConflict = (error: unknown): boolean => failureOf(error).name === 'TransactionConflictException';

/**
 * Returns the item that failed the condition of a single write, where the write asked for it
 * (`ReturnValuesOnConditionCheckFailure`) and it exists. Undefined for any other error.
 */
export function failedCondition(error: unknown): { item: Attributes | undefined } | undefined {
  const { name, Item } = failureOf(error);
  return name === 'ConditionalCheckFailedException' ? { item: Item } : undefined;
}

/** Why a transaction was cancelled, action by action, each with the item as it stands where its action asked; none for any other error. */
export function cancellations(error: unknown): { code: string; item: Attributes | undefined }[] {
  const { name, CancellationReasons = [] } = failureOf(error);
  if (name !== 'TransactionCanceledException') return [];
  return CancellationReasons.map(({ Code = 'None', Item }) => ({ code: Code, item: Item }));
}

/** Whether DynamoDB refuses what a write holds, as it does with too many bytes. */
export const isInvalid = (error: unknown): boolean =>
  failureOf(error).name === 'ValidationException' ||
  cancellations(error).some(({ code }) => code === 'ValidationError');

/** Code by which DynamoDB reports a failed condition. */
export const conditionFailed = 'ConditionalCheckFailed';
