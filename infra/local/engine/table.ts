import {
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import type { TableToRun } from '../template.ts';

/** Creates the table unless it is there. Returns the ARN of its stream, if it has one. */
export async function ensureTable(client: DynamoDBClient, table: TableToRun): Promise<string | undefined> {
  const { ttlAttribute, ...input } = table;
  const { TableName } = input;
  try {
    await client.send(new CreateTableCommand(input));
    await waitUntilTableExists({ client, maxWaitTime: 30, minDelay: 1 }, { TableName });
    if (ttlAttribute) await expireBy(client, TableName, ttlAttribute);
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
  }
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  return Table?.LatestStreamArn;
}

const expireBy = (client: DynamoDBClient, TableName: string, AttributeName: string) =>
  client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification: { AttributeName, Enabled: true } }));
