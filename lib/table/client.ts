import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { hideItems, isConflict } from './errors.ts';

let client: DynamoDBDocumentClient | undefined;

/**
 * The table's client, built at first use. Connections are kept alive; the SDK's own retries cover throttling, 5xx and, because it
 * is configured so here, a single write to an item that is in somebody's transaction: four attempts with jitter, 0.2 s at most.
 */
export function documentClient(): DynamoDBDocumentClient {
  if (client) return client;
  const bare = new DynamoDBClient({
    maxAttempts: 4,
    requestHandler: { connectionTimeout: 1000, requestTimeout: 5000, throwOnRequestTimeout: true },
  });
  bare.middlewareStack.add(
    (next) => (args) =>
      next(args).catch((error: unknown) => {
        if (error instanceof Error && isConflict(error)) Object.assign(error, { $retryable: {} });
        throw error;
      }),
    { step: 'finalizeRequest', priority: 'low', name: 'retryableConflicts' },
  );
  bare.middlewareStack.add(
    (next) => (args) =>
      next(args).catch((error: unknown) => {
        hideItems(error);
        throw error;
      }),
    { step: 'initialize', name: 'hiddenItems' },
  );
  client = DynamoDBDocumentClient.from(bare, {
    // Sums of money pass 2^53 cents: DynamoDB counts them exactly, and they are shown as the number next to them.
    marshallOptions: { removeUndefinedValues: true, allowImpreciseNumbers: true },
    unmarshallOptions: { wrapNumbers: Number },
  });
  return client;
}
