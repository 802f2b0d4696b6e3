import type { Schema } from '../../../client/index.ts';
import { t } from '../../app/texts.ts';
import { When } from '../../parts/when.tsx';

type Delivery = Pick<Schema<'Delivery'>, 'status' | 'nextAttemptAt'>;
type Endpoint = Pick<Schema<'Endpoint'>, 'pausedUntil'>;

/** Returns when a delivery is tried next, in epoch milliseconds: not before a pause of its endpoint ends. Undefined for a finished one. */
export function nextAttemptMs({ status, nextAttemptAt }: Delivery, endpoint: Endpoint | undefined): number | undefined {
  if (status !== 'pending' && status !== 'retrying') return undefined;
  return Math.max(Date.parse(nextAttemptAt ?? '') || 0, Date.parse(endpoint?.pausedUntil ?? '') || 0);
}

/** A time that is to come, relative to the present; “now” where it has come. */
export const Next = ({ atMs }: { atMs: number }) =>
  atMs <= Date.now() ? <span>{t.developers.now}</span> : <When at={new Date(atMs).toISOString()} />;
