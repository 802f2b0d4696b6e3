import type { Scope } from '#lib/core/scopes.ts';
import type { EventKind, EventNoun } from './kinds.ts';

/**
 * The names of the event kinds (contract section 15), and who reads them, apart from their schemas, which only few functions carry. Made of
 * lib/events/kinds.ts by `npm run event-names`.
 */
export const eventKindNames = [
  'message.created',
  'message.updated',
  'message.read',
  'message.button_pressed',
  'contact.created',
  'contact.updated',
  'contact.note_added',
  'contact.merged',
  'contact.unsubscribed',
  'contact.erased',
  'company.created',
  'company.updated',
  'company.merged',
  'company.note_added',
  'field.created',
  'field.updated',
  'deal.created',
  'deal.updated',
  'deal.stage_changed',
  'task.created',
  'task.updated',
  'task.status_changed',
  'task.reminder_due',
  'account.flood_wait',
  'account.status_changed',
  'job.completed',
  'email.thread_updated',
  'conversation.updated',
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

/** By what events are about the scope that reads it. */
export const readBy: Readonly<Record<EventNoun, Scope>> = {
  message: 'contacts:read',
  contact: 'contacts:read',
  company: 'companies:read',
  field: 'contacts:read',
  conversation: 'contacts:read',
  deal: 'deals:read',
  task: 'tasks:read',
  account: 'telegram:read',
  job: 'jobs:read',
  email: 'email:read',
  sequence: 'sequences:read',
  enrollment: 'sequences:read',
  transaction: 'finance:read',
  invoice: 'finance:read',
  revenue_source: 'finance:read',
  key: 'keys:manage',
  webhook: 'webhooks:read',
};
