import { type DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import { fromNow, minuteMs } from '#lib/core/clock.ts';
import { shardsOf } from '#lib/table/keys.ts';
import type { Invoke } from './functions.ts';
import type { Deployment } from './template.ts';

/** Time ahead within which rows are sent again. The sweeper or a schedule finds later ones. */
const aheadMs = 15 * minuteMs;
const perCall = 100;

/**
 * Sends the messages of all rows that are due soon once more: those of the last run were in the memory of its queues and its scheduler.
 * The rows are the truth, so a message that comes twice does nothing.
 */
export async function sendTimersAgain(
  { tables, functions }: Deployment,
  dynamodb: DynamoDBClient,
  invoke: Invoke,
): Promise<void> {
  const dispatcher = functions.find(({ name }) => /DispatchTimers/.test(name))?.name;
  if (dispatcher === undefined) return;
  for (const { TableName } of tables)
    for (const pk of shardsOf('due')) {
      let ExclusiveStartKey: Record<string, never> | undefined;
      do {
        const page = await dynamodb.send(
          new QueryCommand({
            ...{ TableName, ExclusiveStartKey, Limit: perCall },
            KeyConditionExpression: 'pk = :pk AND sk < :end',
            ExpressionAttributeValues: { ':pk': { S: pk }, ':end': { S: fromNow(aheadMs) } },
          }),
        );
        const Records = (page.Items ?? []).map((NewImage) => ({ dynamodb: { NewImage, SequenceNumber: '0' } }));
        if (Records.length > 0) await invoke(dispatcher, JSON.stringify({ Records }));
        ExclusiveStartKey = page.LastEvaluatedKey as typeof ExclusiveStartKey;
      } while (ExclusiveStartKey);
    }
}
