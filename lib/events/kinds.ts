import * as v from 'valibot';
import { channels, platforms } from '#lib/core/channel.ts';
import {
  accountStates,
  accountStatuses,
  bounceTypes,
  contactStages,
  dealStages,
  directions,
  enrollmentStatuses,
  exportObjects,
  fieldObjects,
  fieldTypes,
  importEndings,
  importObjects,
  jobEndings,
  sequenceStatuses,
  taskPriorities,
  taskStatuses,
  transactionSources,
  transactionStatuses,
  transactionTypes,
} from '#lib/core/choices.ts';
import { count, openChoice, storedChoice, time } from '#lib/core/schema.ts';
import { type Scope, scopes } from '#lib/core/scopes.ts';
import { EventActor, environments } from '#lib/core/tenant.ts';

/** An id of ours, or the public part of a key. */
const id = v.string();
const actor = EventActor;
/** Changes of a patch, by field name as in `data`. */
const changesByField = v.pipe(
  v.record(v.string(), v.pipe(v.object({ from: v.unknown(), to: v.unknown() }), v.title('EventChange'))),
  v.title('EventChanges'),
);
const changes = { changed: v.array(v.string()), changes: changesByField };
/** A message, or several of one conversation. */
const conversation = { contact_id: v.nullable(id), channel: v.picklist(channels), account_id: v.nullable(id) };

/** Values of custom fields by slug. */
const valuesBySlug = v.record(v.string(), v.unknown());

const caller = { type: 'api_key', id: 'Ab3dEf6hIj9k' } as const;
const person = { type: 'user', id: null } as const;
const at = '2026-11-20T23:17:47Z';

const kind = <Entries extends v.ObjectEntries>(
  description: string,
  entries: Entries,
  example: v.InferOutput<v.ObjectSchema<Entries, undefined>>,
) => ({ description, data: v.object(entries), example });

const ofKey = (description: string) =>
  kind(
    description,
    { key_id: id, name: v.string(), scopes: v.array(storedChoice(scopes)), env: v.picklist(environments), actor },
    { key_id: 'k7Qm2ZpX9aBc', name: 'Nightly sync', scopes: ['deals:read'], env: 'live', actor: caller },
  );

const ofPipeline = (description: string) =>
  kind(
    description,
    { pipeline_id: id, name: v.string(), is_archived: v.boolean(), actor },
    { pipeline_id: '3', name: 'Partners', is_archived: false, actor: caller },
  );

const ofField = (description: string) =>
  kind(
    description,
    {
      field_id: id,
      object: openChoice(fieldObjects),
      slug: v.string(),
      title: v.string(),
      type: openChoice(fieldTypes),
      is_archived: v.boolean(),
      actor,
    },
    {
      field_id: '12',
      object: 'contact',
      slug: 'budget',
      title: 'Budget',
      type: 'number',
      is_archived: false,
      actor: caller,
    },
  );

const ofArchive = <Noun extends 'contact' | 'company' | 'deal' | 'task'>(noun: Noun, description: string) =>
  kind(
    description,
    { [`${noun}_id`]: id, actor } as Record<`${Noun}_id`, typeof id> & { actor: typeof actor },
    { [`${noun}_id`]: '7', actor: caller } as never,
  );

/**
 * Every event kind (contract section 15): what it means to a subscriber, its `data` and an example of that. Keys are snake_case
 * and ids strings.
 */
export const eventKinds = {
  'message.created': kind(
    'An inbound message was stored, or an outbound one was sent.',
    {
      contact_id: v.nullable(id),
      channel: v.picklist(channels),
      direction: v.picklist(directions),
      body: v.string(),
      thread_id: v.nullable(id),
      message_id: id,
      account_id: v.nullable(id),
      job_id: v.nullable(id),
    },
    {
      contact_id: '7',
      channel: 'telegram',
      direction: 'inbound',
      body: 'Hello! Is the offer still open?',
      thread_id: null,
      message_id: '4711',
      account_id: '2',
      job_id: null,
    },
  ),
  'message.updated': kind(
    'A message was edited, or its attachments have been fetched (`changes.attachments`).',
    { message_id: id, ...conversation, changes: changesByField },
    {
      message_id: '4711',
      contact_id: '7',
      channel: 'telegram',
      account_id: '2',
      changes: { body: { from: 'Is the offer stil open?', to: 'Is the offer still open?' } },
    },
  ),
  'message.read': kind(
    'Outbound messages were read by the contact, or inbound ones were marked as read.',
    { message_ids: v.array(id), ...conversation, read_at: time() },
    { message_ids: ['4712', '4713'], contact_id: '7', channel: 'telegram', account_id: '2', read_at: at },
  ),
  'message.button_pressed': kind(
    'A contact has pressed a button under a message; `message_id` is the inbound message that says so.',
    { message_id: id, contact_id: id, account_id: id, data: v.string() },
    { message_id: '4714', contact_id: '7', account_id: '2', data: 'order:42' },
  ),
  'contact.created': kind(
    'A contact was created by a call, or by the first message of a stranger.',
    {
      contact_id: id,
      platform: v.picklist(platforms),
      name: v.nullable(v.string()),
      username: v.nullable(v.string()),
      phone: v.nullable(v.string()),
      email: v.nullable(v.string()),
      company: v.nullable(v.string()),
      stage: v.picklist(contactStages),
      fields: valuesBySlug,
      actor,
    },
    {
      contact_id: '7',
      platform: 'telegram',
      name: 'Ada Lovelace',
      username: 'ada_lovelace',
      phone: null,
      email: 'ada@example.com',
      company: 'Analytical Engines',
      stage: 'new',
      fields: { budget: 1200 },
      actor: caller,
    },
  ),
  'contact.updated': kind(
    'Fields, stage, assignee, score, tags or metadata of a contact changed.',
    { contact_id: id, ...changes, actor },
    {
      contact_id: '7',
      changed: ['stage', 'assigned_to_user_id'],
      changes: { stage: { from: 'new', to: 'qualified' }, assigned_to_user_id: { from: null, to: '3' } },
      actor: caller,
    },
  ),
  'contact.note_added': kind(
    'A note was added to a contact.',
    { contact_id: id, activity_id: id, text: v.string(), actor },
    { contact_id: '7', activity_id: '904', text: 'Prefers to be called in the morning.', actor: caller },
  ),
  'contact.merged': kind(
    'A contact was merged into another.',
    { contact_id: id, source_contact_id: id, actor },
    { contact_id: '7', source_contact_id: '12', actor: caller },
  ),
  'contact.archived': ofArchive('contact', 'A contact was archived.'),
  'contact.restored': ofArchive('contact', 'An archived contact was restored.'),
  'contact.unsubscribed': kind(
    'Somebody unsubscribed an address from the mails of sequences.',
    { contact_id: id, address: v.string() },
    { contact_id: '5', address: 'ada@example.com' },
  ),
  'contact.erased': kind(
    'A contact was erased with everything that is about it alone.',
    { contact_id: id, actor },
    { contact_id: '7', actor: caller },
  ),
  'company.created': kind(
    'A company was created.',
    { company_id: id, name: v.string(), domains: v.array(v.string()), fields: valuesBySlug, actor },
    { company_id: '21', name: 'Analytical Engines', domains: ['example.com'], fields: {}, actor: caller },
  ),
  'company.updated': kind(
    'Fields, assignee, or metadata of a company changed.',
    { company_id: id, ...changes, actor },
    {
      company_id: '21',
      changed: ['website'],
      changes: { website: { from: null, to: 'https://example.com' } },
      actor: caller,
    },
  ),
  'company.merged': kind(
    'A company was merged into another.',
    { company_id: id, source_company_id: id, actor },
    { company_id: '21', source_company_id: '34', actor: caller },
  ),
  'company.archived': ofArchive('company', 'A company was archived.'),
  'company.restored': ofArchive('company', 'An archived company was restored.'),
  'company.note_added': kind(
    'A note was added to a company.',
    { company_id: id, activity_id: id, text: v.string(), actor },
    { company_id: '21', activity_id: '77', text: 'Moves to Manchester next year.', actor: caller },
  ),
  'field.created': ofField('A custom field was created.'),
  'field.updated': ofField('A custom field was changed, archived, or restored.'),
  'import.completed': kind(
    'An import has ended: its rows are taken in, it failed, or it was canceled.',
    {
      import_id: id,
      object: openChoice(importObjects),
      status: openChoice(importEndings),
      counts: v.pipe(
        v.object({
          total: v.nullable(count()),
          processed: count(),
          created: count(),
          updated: count(),
          skipped: count(),
          failed: count(),
        }),
        v.title('ImportCounts'),
      ),
    },
    {
      import_id: '8',
      object: 'contacts',
      status: 'completed',
      counts: { total: 1200, processed: 1200, created: 1150, updated: 0, skipped: 42, failed: 8 },
    },
  ),
  'deal.created': kind(
    'A deal was created.',
    {
      deal_id: id,
      contact_id: v.nullable(id),
      title: v.string(),
      value: v.number(),
      currency: v.string(),
      stage: v.picklist(dealStages),
      probability: count(),
      fields: valuesBySlug,
      actor,
    },
    {
      deal_id: '31',
      contact_id: '7',
      title: 'Second analytical engine',
      value: 12_000,
      currency: 'EUR',
      stage: 'lead',
      probability: 10,
      fields: {},
      actor: caller,
    },
  ),
  'deal.updated': kind(
    'Fields or metadata of a deal changed.',
    { deal_id: id, ...changes, actor },
    { deal_id: '31', changed: ['value'], changes: { value: { from: 12_000, to: 12_500 } }, actor: caller },
  ),
  'deal.archived': ofArchive('deal', 'A deal was archived.'),
  'deal.restored': ofArchive('deal', 'An archived deal was restored.'),
  'deal.stage_changed': kind(
    'A deal moved to another stage.',
    {
      deal_id: id,
      contact_id: v.nullable(id),
      from_stage: v.picklist(dealStages),
      to_stage: v.picklist(dealStages),
      value: v.number(),
      currency: v.string(),
      closed_at: v.nullable(time()),
      lost_reason: v.nullable(v.string()),
      pipeline_id: id,
      actor,
    },
    {
      deal_id: '31',
      contact_id: '7',
      from_stage: 'negotiation',
      to_stage: 'won',
      value: 12_500,
      currency: 'EUR',
      closed_at: at,
      lost_reason: null,
      pipeline_id: '1',
      actor: person,
    },
  ),
  'deal.column_changed': kind(
    'A deal moved to another column, of its own board or of another one.',
    { deal_id: id, pipeline_id: id, from_column_id: id, to_column_id: id, actor },
    { deal_id: '31', pipeline_id: '1', from_column_id: '10003', to_column_id: '10004', actor: caller },
  ),
  'pipeline.created': ofPipeline('A board of deals was created.'),
  'pipeline.updated': ofPipeline('A board of deals or its columns changed, or it was archived or restored.'),
  'task.created': kind(
    'A task was created.',
    {
      task_id: id,
      title: v.string(),
      status: v.picklist(taskStatuses),
      priority: v.picklist(taskPriorities),
      due_at: v.nullable(time()),
      contact_id: v.nullable(id),
      deal_id: v.nullable(id),
      assigned_to_user_id: v.nullable(id),
      fields: valuesBySlug,
      actor,
    },
    {
      task_id: '58',
      title: 'Send the revised offer',
      status: 'open',
      priority: 'high',
      due_at: '2026-11-24T09:00:00Z',
      contact_id: '7',
      deal_id: '31',
      assigned_to_user_id: '3',
      fields: {},
      actor: caller,
    },
  ),
  'task.updated': kind(
    'Fields or metadata of a task changed.',
    { task_id: id, ...changes, actor },
    {
      task_id: '58',
      changed: ['due_at'],
      changes: { due_at: { from: '2026-11-24T09:00:00Z', to: '2026-11-25T09:00:00Z' } },
      actor: caller,
    },
  ),
  'task.status_changed': kind(
    'A task changed its status.',
    {
      task_id: id,
      from_status: v.picklist(taskStatuses),
      to_status: v.picklist(taskStatuses),
      completed_at: v.nullable(time()),
      actor,
    },
    { task_id: '58', from_status: 'open', to_status: 'done', completed_at: at, actor: caller },
  ),
  'task.archived': ofArchive('task', 'A task was archived.'),
  'task.restored': ofArchive('task', 'An archived task was restored.'),
  'task.reminder_due': kind(
    'The reminder of a task is due.',
    {
      task_id: id,
      title: v.string(),
      assigned_to_user_id: v.nullable(id),
      contact_id: v.nullable(id),
      deal_id: v.nullable(id),
    },
    {
      task_id: '58',
      title: 'Send the revised offer',
      assigned_to_user_id: '3',
      contact_id: '7',
      deal_id: '31',
    },
  ),
  'account.flood_wait': kind(
    'An account was told to wait before it sends again.',
    { account_id: id, channel: v.picklist(channels), wait_seconds: count(), until: time(), queued_jobs: count() },
    { account_id: '2', channel: 'telegram', wait_seconds: 30, until: '2026-11-20T23:18:17Z', queued_jobs: 12 },
  ),
  'account.status_changed': kind(
    'An account became active, disconnected or banned.',
    {
      account_id: id,
      channel: v.picklist(channels),
      from_status: v.picklist(accountStatuses),
      to_status: v.picklist(accountStates),
    },
    { account_id: '2', channel: 'telegram', from_status: 'active', to_status: 'disconnected' },
  ),
  'job.completed': kind(
    'A message job was sent or failed. Of a mail that was sent and bounces for good there are both, one after the other.',
    {
      job_id: id,
      channel: v.picklist(channels),
      account_id: v.nullable(id),
      contact_id: v.nullable(id),
      status: v.picklist(jobEndings),
      error: v.nullable(v.string()),
      run_at: time(),
      completed_at: time(),
      attempts: count(),
    },
    {
      job_id: '9120',
      channel: 'telegram',
      account_id: '2',
      contact_id: '7',
      status: 'sent',
      error: null,
      run_at: '2026-11-20T23:17:40Z',
      completed_at: at,
      attempts: 1,
    },
  ),
  'email.thread_updated': kind(
    'Status, assignee, or contact of an e-mail thread changed.',
    { thread_id: id, contact_id: v.nullable(id), ...changes, actor },
    {
      thread_id: '12',
      contact_id: '7',
      changed: ['status'],
      changes: { status: { from: 'open', to: 'closed' } },
      actor: caller,
    },
  ),
  'conversation.updated': kind(
    'State, snooze, or assignee of a conversation changed, or its messages were marked as read or unread.',
    { conversation_id: id, contact_id: v.nullable(id), thread_id: v.nullable(id), ...changes, actor },
    {
      conversation_id: '14',
      contact_id: '7',
      thread_id: null,
      changed: ['state', 'snoozed_until'],
      changes: { state: { from: 'snoozed', to: 'open' }, snoozed_until: { from: at, to: null } },
      actor: caller,
    },
  ),
  'email.bounced': kind(
    'An e-mail that was sent bounced from a recipient: for good, which fails it, or for now.',
    {
      thread_id: id,
      message_id: id,
      recipient: v.string(),
      bounce_type: v.picklist(bounceTypes),
      reason: v.string(),
    },
    {
      thread_id: '12',
      message_id: '340',
      recipient: 'ada@example.com',
      bounce_type: 'permanent',
      reason: 'smtp; 550 5.1.1 user unknown',
    },
  ),
  'email.complained': kind(
    'A recipient of an e-mail reported it as unwanted.',
    { thread_id: id, message_id: id, recipient: v.string() },
    { thread_id: '12', message_id: '340', recipient: 'ada@example.com' },
  ),
  'sequence.status_changed': kind(
    'A sequence was paused, resumed or completed.',
    {
      sequence_id: id,
      name: v.string(),
      from_status: v.picklist(sequenceStatuses),
      to_status: v.picklist(sequenceStatuses),
      actor,
    },
    { sequence_id: '6', name: 'After the exhibition', from_status: 'active', to_status: 'paused', actor: caller },
  ),
  'enrollment.status_changed': kind(
    'An enrollment is no longer active.',
    {
      enrollment_id: id,
      sequence_id: id,
      contact_id: id,
      from_status: v.picklist(enrollmentStatuses),
      to_status: v.picklist(enrollmentStatuses),
    },
    { enrollment_id: '88', sequence_id: '6', contact_id: '7', from_status: 'active', to_status: 'completed' },
  ),
  'transaction.created': kind(
    'A finance transaction was booked.',
    {
      transaction_id: id,
      type: v.picklist(transactionTypes),
      status: v.picklist(transactionStatuses),
      amount: v.number(),
      currency: v.string(),
      category: v.nullable(v.string()),
      contact_id: v.nullable(id),
      deal_id: v.nullable(id),
      invoice_id: v.nullable(id),
      source: v.picklist(transactionSources),
      actor,
    },
    {
      transaction_id: '310',
      type: 'income',
      status: 'realized',
      amount: 12_500,
      currency: 'EUR',
      category: null,
      contact_id: '7',
      deal_id: '31',
      invoice_id: null,
      source: 'deal',
      actor: person,
    },
  ),
  'invoice.paid': kind(
    'An invoice was paid.',
    {
      invoice_id: id,
      invoice_number: v.string(),
      total: v.number(),
      currency: v.string(),
      contact_id: v.nullable(id),
      paid_at: time(),
      transaction_id: id,
      actor,
    },
    {
      invoice_id: '42',
      invoice_number: 'INV-2026-0042',
      total: 12_500,
      currency: 'EUR',
      contact_id: '7',
      paid_at: at,
      transaction_id: '311',
      actor: caller,
    },
  ),
  'invoice.overdue': kind(
    'An invoice passed its due date.',
    {
      invoice_id: id,
      invoice_number: v.string(),
      total: v.number(),
      currency: v.string(),
      contact_id: v.nullable(id),
      due_date: time(),
    },
    {
      invoice_id: '42',
      invoice_number: 'INV-2026-0042',
      total: 12_500,
      currency: 'EUR',
      contact_id: '7',
      due_date: '2026-11-19T00:00:00Z',
    },
  ),
  'revenue_source.sync_failed': kind(
    'A pull from a revenue source failed.',
    { revenue_source_id: id, name: v.string(), error: v.string(), last_sync_at: time() },
    { revenue_source_id: '2', name: 'Web shop', error: 'the feed answered 503', last_sync_at: at },
  ),
  'export.completed': kind(
    'An export was completed: its file can be downloaded for a day.',
    { export_id: id, object: openChoice(exportObjects), rows: count() },
    { export_id: '12', object: 'contacts', rows: 4200 },
  ),
  'key.created': ofKey('An API key was minted.'),
  'key.revoked': ofKey('An API key was revoked.'),
  'webhook.test': kind(
    'A test delivery that was asked for.',
    { message: v.string(), endpoint_id: id },
    { message: 'test delivery', endpoint_id: '5' },
  ),
};
export type EventKind = keyof typeof eventKinds;

/** Noun of a kind of events: its name before the dot. */
export type EventNoun = EventKind extends `${infer Noun}.${string}` ? Noun : never;

/** Scope that reads the events of a noun. A member whose role lacks it sees none of them. */
export const readBy: Record<EventNoun, Scope> = {
  message: 'contacts:read',
  contact: 'contacts:read',
  company: 'companies:read',
  field: 'contacts:read',
  import: 'imports:run',
  conversation: 'contacts:read',
  deal: 'deals:read',
  pipeline: 'pipelines:read',
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
  export: 'exports:run',
  webhook: 'webhooks:read',
};

/** An event as the code that causes it states it: its `data` is that of its kind. */
export type StatedEvent = {
  [Kind in EventKind]: { kind: Kind; data: v.InferOutput<(typeof eventKinds)[Kind]['data']> };
}[EventKind];

/** The whole body of an event, as it is delivered. */
export const exampleOf = (kind: EventKind) => ({
  event: kind,
  id: 'evt_5f0c9a3e7d1b4c68a2e9f1d3b5c7a8600',
  timestamp: at,
  sequence: kind === 'webhook.test' ? null : 1024,
  livemode: true,
  data: eventKinds[kind].example,
});
