import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../env.ts';
import { log } from '../log.ts';
import { documentClient } from './client.ts';

/**
 * One cheap read and one write that is refused, while the function initialises, so that the first request does not pay for the
 * lazy parts of the SDK and of the log. Never throws: a function that cannot reach its table says so when it is called.
 */
export async function prime(): Promise<void> {
  try {
    log();
    const TableName = env('TABLE_NAME');
    const options = { abortSignal: AbortSignal.timeout(500) };
    const nothing = { pk: 'PRIME', sk: 'PRIME' };
    await documentClient().send(new GetCommand({ TableName, Key: nothing }), options);
    const refused = new UpdateCommand({
      TableName,
      Key: nothing,
      UpdateExpression: 'SET #used = :one',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeNames: { '#used': 'used' },
      ExpressionAttributeValues: { ':one': 1 },
      ReturnValues: 'ALL_NEW',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    await documentClient().send(refused, options);
  } catch {
    // As it should be, or the first request reports it with its own context.
  }
}
