import type { Schema } from '../../../client/index.ts';
import type { Tone } from '../../parts/badge.tsx';

export const health: Record<Schema<'EndpointStatus'>, Tone> = { healthy: 'good', degraded: 'warn', disabled: 'bad' };

export const deliveryTones: Record<Schema<'DeliveryStatus'>, Tone> = {
  pending: 'accent',
  retrying: 'warn',
  succeeded: 'good',
  failed: 'bad',
  skipped: 'plain',
};
