/** Every event kind (contract section 15) with what a subscriber is told about it. */
export const eventKinds = {
  'message.created': 'An inbound message was stored, or an outbound one was sent.',
  'contact.created': 'A contact was created by a call, or by the first message of a stranger.',
  'contact.updated': 'Fields, stage, assignee, score, tags or metadata of a contact changed.',
  'contact.note_added': 'A note was added to a contact.',
  'contact.merged': 'A contact was merged into another.',
  'deal.created': 'A deal was created.',
  'deal.updated': 'Fields or metadata of a deal changed.',
  'deal.stage_changed': 'A deal moved to another stage.',
  'task.created': 'A task was created.',
  'task.updated': 'Fields or metadata of a task changed.',
  'task.status_changed': 'A task changed its status.',
  'account.flood_wait': 'An account was told to wait before it sends again.',
  'account.status_changed': 'An account became active, disconnected or banned.',
  'job.completed': 'A message job was sent or failed.',
  'email.thread_updated': 'Status or assignee of an e-mail thread changed.',
  'sequence.status_changed': 'A sequence was paused, resumed or completed.',
  'enrollment.status_changed': 'An enrollment is no longer active.',
  'transaction.created': 'A finance transaction was booked.',
  'invoice.paid': 'An invoice was paid.',
  'invoice.overdue': 'An invoice passed its due date.',
  'revenue_source.sync_failed': 'A pull from a revenue source failed.',
  'key.created': 'An API key was minted.',
  'key.revoked': 'An API key was revoked.',
  'webhook.test': 'A test delivery that was asked for.',
} as const;

export type EventKind = keyof typeof eventKinds;
