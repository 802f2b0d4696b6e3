import { randomUUID } from 'node:crypto';
import { now } from '#lib/core/clock.ts';
import type { Home } from '../template/identities.ts';

interface Stated {
  'detail-type': string;
  detail: Record<string, unknown>;
  resources?: readonly string[];
  time?: string;
}

/** An event as EventBridge hands it on. */
export const awsEvent = (source: string, { resources = [], ...stated }: Stated, { accountId, region }: Home) => ({
  version: '0',
  id: randomUUID(),
  source,
  account: accountId,
  time: new Date(now()).toISOString().replace(/\.\d{3}/, ''),
  region,
  resources,
  ...stated,
});
