import type { Schema } from '../../../client/index.ts';
import { worded } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import type { Tone } from '../../parts/badge.tsx';

type Endpoint = Schema<'Endpoint'>;

export interface Health {
  tone: Tone;
  text: string;
  /** The worst is the highest. */
  rank: number;
}

/** Returns how an endpoint does, in a word. */
export function healthOf({ isActive, pausedUntil, status, lastSuccessAt }: Endpoint): Health {
  if (!isActive) return { tone: 'plain', text: t.common.off, rank: 0 };
  if (pausedUntil !== null && Date.parse(pausedUntil) > Date.now())
    return { tone: 'bad', text: t.developers.paused, rank: 4 };
  if (status !== 'healthy') return { tone: 'warn', text: worded(status), rank: 3 };
  if (lastSuccessAt === null) return { tone: 'plain', text: t.developers.neverDelivered, rank: 1 };
  return { tone: 'good', text: worded(status), rank: 2 };
}

export const deliveryTones: Record<Schema<'DeliveryStatus'>, Tone> = {
  pending: 'accent',
  retrying: 'warn',
  succeeded: 'good',
  failed: 'bad',
  skipped: 'plain',
};
