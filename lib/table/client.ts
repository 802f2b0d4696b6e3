import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
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
import { shortCalls } from '../aws/short-calls.ts';
import { marshallOptions, unmarshallOptions } from './attributes.ts';
import { withPlainItems } from './errors.ts';
import { countReadUnits, countWriteUnits } from './usage.ts';

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
  /** Raises what DynamoDB says (lib/table/errors.ts), and what breaks the connection. */
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

const isRead = (operation: keyof Operations) => /Get|Query|Scan/.test(operation);
