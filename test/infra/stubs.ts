import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { DecryptCommand, KMSClient } from '@aws-sdk/client-kms';
import { sanitise, textOf } from '#lib/email/html.ts';
import { openOutbound } from '#lib/network/outbound.ts';
import { openProvider } from '#lib/network/provider.ts';
import { isUnreadable } from '#lib/secrets.ts';

const settings = (endpoint: string) => ({ endpoint, maxAttempts: 1 });

/** What bundles hold only parts of, exported as a function is. */
export const handler = {
  sanitise,
  textOf,
  openOutbound,
  openProvider,
  isUnreadable,
  read: (endpoint: string) =>
    new DynamoDBClient(settings(endpoint)).send(new GetItemCommand({ TableName: 'table', Key: { pk: { S: '1' } } })),
  decrypt: (endpoint: string) =>
    new KMSClient(settings(endpoint)).send(new DecryptCommand({ CiphertextBlob: Buffer.from('1') })),
};
