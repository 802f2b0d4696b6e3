import type { Schema } from '../../../../client/index.ts';

/** Every kind of event; a kind that is missing or gone does not compile. */
const known: Record<Schema<'EventKind'>, true> = {
  'message.created': true,
  'message.updated': true,
  'message.read': true,
  'contact.created': true,
  'contact.updated': true,
  'contact.note_added': true,
  'contact.merged': true,
  'contact.erased': true,
  'deal.created': true,
  'deal.updated': true,
  'deal.stage_changed': true,
  'task.created': true,
  'task.updated': true,
  'task.status_changed': true,
  'account.flood_wait': true,
  'account.status_changed': true,
  'job.completed': true,
  'email.thread_updated': true,
  'email.bounced': true,
  'email.complained': true,
  'sequence.status_changed': true,
  'enrollment.status_changed': true,
  'transaction.created': true,
  'invoice.paid': true,
  'invoice.overdue': true,
  'revenue_source.sync_failed': true,
  'key.created': true,
  'key.revoked': true,
  'webhook.test': true,
};

export const eventKinds = Object.keys(known) as Schema<'EventKind'>[];
