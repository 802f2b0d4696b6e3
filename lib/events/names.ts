import type { EventKind } from './kinds.ts';

/**
 * The names of the event kinds (contract section 15), apart from their schemas, which only few functions carry. Made of
 * lib/events/kinds.ts by `npm run event-names`.
 */
export const eventKindNames = [
  'message.created',
  'message.updated',
  'message.read',
  'contact.created',
  'contact.updated',
  'contact.note_added',
  'contact.merged',
  'contact.erased',
  'deal.created',
  'deal.updated',
  'deal.stage_changed',
  'task.created',
  'task.updated',
  'task.status_changed',
  'account.flood_wait',
  'account.status_changed',
  'job.completed',
  'email.thread_updated',
  'email.bounced',
  'email.complained',
  'sequence.status_changed',
  'enrollment.status_changed',
  'transaction.created',
  'invoice.paid',
  'invoice.overdue',
  'revenue_source.sync_failed',
  'key.created',
  'key.revoked',
  'webhook.test',
] as const satisfies readonly EventKind[];
