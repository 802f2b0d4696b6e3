import type {
  BatchGetCommandInput,
  BatchGetCommandOutput,
  BatchWriteCommandInput,
  BatchWriteCommandOutput,
  DeleteCommandInput,
  DeleteCommandOutput,
  GetCommandInput,
  GetCommandOutput,
  PutCommandInput,
  PutCommandOutput,
  QueryCommandInput,
  QueryCommandOutput,
  ScanCommandInput,
  ScanCommandOutput,
  TransactWriteCommandInput,
  TransactWriteCommandOutput,
  UpdateCommandInput,
  UpdateCommandOutput,
} from '@aws-sdk/lib-dynamodb';
import { aws } from '../aws/call.ts';
import { marshalled, unmarshalled } from './attribute-values.ts';
import { withPlainItems } from './errors.ts';

/** What is asked of the table, with what it says to it; attributes are plain values. */
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

/** DynamoDB (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.LowLevelAPI.html). */
export const dynamodb = {
  /** Raises what DynamoDB says (lib/table/errors.ts), and what breaks the connection. */
  async send<Name extends keyof Operations>(
    operation: Name,
    input: Operations[Name]['input'],
    signal?: AbortSignal,
  ): Promise<Answer<Name>> {
    const call = { service: 'dynamodb', operation, body: JSON.stringify(marshalled(input)) } as const;
    return unmarshalled(await aws.call(call, signal).catch(withPlainItems)) as Answer<Name>;
  },
};
