import { eventKindNames } from '#lib/events/names.ts';
import type { Noun } from './noun.ts';

const pascalCase = (kind: string) => kind.replaceAll(/(?:^|[._])(.)/g, (_, letter: string) => letter.toUpperCase());

/** Descriptions of the fields that every event has around its data. */
const head = {
  event: 'The kind of the event. Ignore kinds that you do not know: new ones may come.',
  id: 'Id of the event. Deliveries and replays of the same event have the same id: use it to drop doubles.',
  timestamp: 'When the change happened, in UTC to the second.',
  sequence: 'Place of the event in the feed. It rises within an environment; holes are normal. Null for a test.',
  livemode: 'True for real data, false for the sandbox.',
  data: 'Facts of this kind of event. Ids are text, and keys are snake_case.',
};

const envelope = {
  ...head,
  truncated: 'Paths of texts that were cut at 16 KiB, such as `data.body`. Read the resource for the whole text.',
};

const changes = {
  'data.changed': 'Names of the fields that changed.',
  'data.changes': 'Each changed field with its value before and after.',
};

const field = {
  'data.field_id': 'Id of the custom field, as text.',
  'data.object': 'The kind of records that have the field.',
  'data.slug': 'Name of the field in `fields` of a record.',
  'data.title': 'Title of the field in the panel.',
  'data.type': 'The type of the values of the field.',
  'data.is_archived': 'Whether the field is archived.',
};

export const events: Noun = {
  about: 'The feed of everything that happens, kept for 30 days.',
  operations: {
    eventsList:
      'Lists events in ascending order, after the position `since`. Use it to catch up after an outage, or to poll without a webhook: pass `nextCursor` as the next `since`. Events are kept for 30 days; an older position answers 409 `cursor_expired` with `oldestSequence`.',
    onEvent:
      'Sent for every event that an endpoint has subscribed to; the operations below show each kind. Use `event` to tell them apart, answer 2xx at once, and do the work afterwards. Verify the signature first.',
    onMessageCreated:
      'Sent when a message of a contact has come in, or one of yours has left, on any channel. Use it to show conversations elsewhere. Queueing a message sends nothing yet.',
    onMessageUpdated:
      'Sent when a message was edited, or when its attachments have been fetched. Use it to update a copy of the conversation. Status and read marks have events of their own.',
    onMessageRead:
      'Sent when a contact has read your messages, or a member has read theirs. Use it to clear unread marks elsewhere. One event may name several messages.',
    onMessageButtonPressed:
      'Sent when a contact has pressed a button under one of your messages. Use `data` to continue the dialogue. The press is an inbound message as well, whose id is `message_id`.',
    onContactCreated:
      'Sent when a contact was created by a call, a member, or the first message of a stranger. Use it to create the person in your own system.',
    onContactUpdated:
      'Sent when fields, stage, assignee, score, tags, or metadata of a contact changed. Use `changes` to update a copy. Changes by the caller itself are sent as well: compare `actor`.',
    onContactNoteAdded:
      'Sent when a note was added to the history of a contact. Use it to copy notes elsewhere. The field `notes` of the contact has not changed.',
    onContactMerged:
      'Sent when a contact was merged into another. Use it to move your own records to the contact that was kept. The merged one answers 404 from now on.',
    onContactArchived:
      'Sent when a contact was archived. Use it to hide the contact in other systems. It still answers by its id, and its deals and tasks stay.',
    onContactRestored:
      'Sent when an archived contact was restored, also by a message of the person. Use it to show the contact again. Its canceled jobs stay canceled.',
    onContactUnsubscribed:
      'Sent when somebody unsubscribed an address by the link in a sequence mail. Stop mailing that address from other systems, too. Replies and single messages may still go there.',
    onContactErased:
      'Sent when a contact was erased on request. Delete your own copies of the person. Earlier events about the contact lose their data in the feed.',
    onCompanyCreated:
      'Sent when a company was created. Use it to create the company in your own system. Contacts that are linked to it have events of their own.',
    onCompanyUpdated:
      'Sent when fields, the assignee, or metadata of a company changed. Use `changes` to update a copy. Contacts show a new name without an event.',
    onCompanyMerged:
      'Sent when a company was merged into another. Use it to move your own records to the company that was kept. The merged one answers 404 from now on.',
    onCompanyArchived:
      'Sent when a company was archived. Use it to hide the company in other systems. Its contacts and deals still name it.',
    onCompanyRestored:
      'Sent when an archived company was restored. Use it to show the company again. Its fields are as they were before.',
    onCompanyNoteAdded:
      'Sent when a note was added to the history of a company. Use it to copy notes elsewhere. The field `notes` of the company has not changed.',
    onFieldCreated:
      'Sent when somebody has defined a custom field. Use it to add a column to a copy of the data. Records have no value for it yet.',
    onFieldUpdated:
      'Sent when the definition of a custom field was changed, archived, or restored. Use it to refresh what you know about the field. Values of records have not changed.',
    onImportCompleted:
      'Sent when an import has ended: completed, failed, or canceled. Use it to fetch the rows that failed. An undo sends none; the events of its records tell it.',
    onDealCreated:
      'Sent when a deal was created. Use it to start work on a new sale, for example a proposal. Later changes have events of their own.',
    onDealUpdated:
      'Sent when fields or metadata of a deal changed. Use `changes` to update a copy. A move to another stage is a separate event.',
    onDealArchived:
      'Sent when a deal was archived. Use it to leave the deal out of totals elsewhere. The deal is neither won nor lost by it.',
    onDealRestored:
      'Sent when an archived deal was restored. Use it to count the deal again. If it came into another column, `deal.column_changed` says so.',
    onDealStageChanged:
      'Sent when a deal moved to another stage, winning and losing included. Use it to react to `won`, for example with an order. Other changes are not in it.',
    onDealColumnChanged:
      'Sent when a deal moved to another column, also of another board. Use it to follow boards of your own. A move to another stage is a `deal.stage_changed` as well.',
    onPipelineCreated:
      'Sent when a board of deals was created. Use it to offer the board in other systems. Its columns are in `GET /v1/pipelines/{id}`.',
    onPipelineUpdated:
      'Sent when a board or one of its columns changed, was archived, or was restored. Use it to read the board again. Deals that move have events of their own.',
    onTaskCreated:
      'Sent when a task was created. Use it to notify the assignee or to copy it into a calendar. Later changes have events of their own.',
    onTaskUpdated:
      'Sent when fields or metadata of a task changed. Use `changes` to update a copy. A change of status is a separate event.',
    onTaskArchived:
      'Sent when a task was archived. Use it to take the task off other lists. Its status has not changed, and it reminds nobody.',
    onTaskRestored:
      'Sent when an archived task was restored. Use it to show the task again. Its status has not changed.',
    onTaskStatusChanged:
      'Sent when the status of a task changed. Use it to close the task elsewhere when `to_status` is `done`. Other changes are not in it.',
    onTaskReminderDue:
      'Sent at `remindAt` of a task that is not done, once. Use it to notify the assignee: the API itself sends no message. A changed `remindAt` moves it.',
    onAccountFloodWait:
      'Sent when a platform tells an account to wait, once for each wait. Messages stay queued and leave afterwards, so there is nothing to repeat. Use it to slow down campaigns.',
    onAccountStatusChanged:
      'Sent when an account became active, disconnected, or banned. Use it to ask somebody to connect it again. A flood wait is a separate event.',
    onJobCompleted:
      'Sent when a queued message was sent or has failed for good. Use it to follow a message after the 202. Attempts in between send nothing.',
    onEmailThreadUpdated:
      'Sent when the status or the assignee of a mail thread changed. Use it to mirror an inbox elsewhere. New mail is announced by `message.created`.',
    onConversationUpdated:
      'Sent when state, snooze, or assignee of a conversation changed, or messages were marked as read or unread. Use it to mirror an inbox. A new message is announced by `message.created`; only what it opens is sent.',
    onEmailBounced:
      'Sent when mail to an address came back. Use it to correct the address. After a permanent bounce, further mail to it is refused unless it is forced.',
    onEmailComplained:
      'Sent when a recipient has marked your mail as spam. Stop writing to that address: complaints harm the reputation of your domain.',
    onSequenceStatusChanged:
      'Sent when a sequence was paused, resumed, or completed. Use it to tell the team. The effect on single contacts is announced by `enrollment.status_changed`.',
    onEnrollmentStatusChanged:
      'Sent when a contact leaves the active state of a sequence: it has answered, got everything, failed, or was taken out. Use it to follow up with people who answered.',
    onTransactionCreated:
      'Sent when income or an expense was booked, by a call, a member, an invoice, a deal, or a feed. Use it to copy bookings into your accounting.',
    onInvoicePaid:
      'Sent when an invoice was marked as paid. Use it to release goods. The booking itself is announced by `transaction.created` as well.',
    onInvoiceOverdue:
      'Sent when the due date of a sent invoice has passed, found by an hourly check. Use it to send a reminder; the CRM sends none.',
    onRevenueSourceSyncFailed:
      'Sent when the pull of a revenue feed has failed. Use it to repair the feed. It is pulled again at its interval without any call.',
    onExportCompleted:
      'Sent when the file of an export is written. Use it to download the file within a day, by the `url` of `GET /v1/exports/{id}`. A failed export sends nothing.',
    onKeyCreated:
      'Sent when an API key was created. Use it to watch for keys that nobody expected. It has neither the secret nor the address of the caller.',
    onKeyRevoked:
      'Sent when an API key was revoked. Use it to remove the key from your own store. Calls with the key are refused from then on.',
    onWebhookTest:
      'Sent by `POST /v1/webhooks/{id}/test` only, with one attempt. Use it to check your receiver and its signature. It is not in the feed and has no `sequence`.',
  },
  parameters: {
    '*': {
      since:
        'Position after which to read: the `sequence` of the last event you have. Default 0: from the oldest event. `latest` answers no events, but the newest position as `nextCursor`.',
      eventKind:
        'Only events of these kinds, separated by commas: `contact.created,contact.updated`. Default: all kinds.',
    },
  },
  schemas: {
    EventList: {
      items: 'The events after `since`, oldest first. Some may be of kinds that this document does not name.',
      nextCursor: 'Position of the last event on the page: pass it as the next `since`. Null on an empty page.',
    },
    OtherEvent: {
      ...head,
      data: 'Facts of the event, in a form that this document does not describe.',
    },
    ErasedEvent: {
      ...head,
      'data.contact_id': 'Id of the erased contact, as text. Null when there is none.',
      erased: 'Always true: the data of this event was erased with its contact.',
    },
    EventActor: {
      type: 'The kind of actor: a member, a program, an AI agent, or the system.',
      id: 'Id of the member, or the 12-character id of the key. Null for the system.',
    },
    EventChange: { from: 'The value before the change.', to: 'The value after the change.' },
    MessageCreatedEvent: {
      ...envelope,
      'data.contact_id': 'Id of the contact, as text. Null when the other side is no contact.',
      'data.channel': 'The channel of the message or the account.',
      'data.direction': 'Whether the message came in or went out.',
      'data.body': 'The text of the message, cut at 16 KiB.',
      'data.thread_id': 'Id of the mail thread, as text. Null on the other channels.',
      'data.message_id': 'Id of the message, as text.',
      'data.account_id': 'Id of the account, as text. Null for mail.',
      'data.job_id': 'Id of the job that sends the message, as text. Null for what came in.',
    },
    ExportCompletedEvent: {
      'data.export_id': 'Id of the export, as text.',
      'data.object': 'The records in the file.',
      'data.rows': 'How many records the file holds.',
    },
    MessageUpdatedEvent: { 'data.changes': changes['data.changes'] },
    MessageButtonPressedEvent: {
      'data.data': 'The `data` of the button, as you gave it when you sent it.',
    },
    MessageReadEvent: {
      'data.message_ids': 'Ids of the messages that were read, as texts.',
      'data.read_at': 'When the messages were read, in UTC.',
    },
    CompanyCreatedEvent: {
      'data.company_id': 'Id of the company, as text.',
      'data.name': 'Name of the new company, in one line.',
      'data.domains': 'The domains of the company.',
      'data.fields': 'The custom values that the company was created with, by slug. Empty when it has none.',
    },
    CompanyUpdatedEvent: { 'data.company_id': 'Id of the company, as text.', ...changes },
    CompanyArchivedEvent: { 'data.company_id': 'Id of the archived company, as text.' },
    CompanyRestoredEvent: { 'data.company_id': 'Id of the restored company, as text.' },
    CompanyMergedEvent: {
      'data.company_id': 'Id of the company that was kept, as text.',
      'data.source_company_id': 'Id of the company that was merged into it, as text. It answers 404 now.',
    },
    CompanyNoteAddedEvent: {
      'data.company_id': 'Id of the company, as text.',
      'data.activity_id': 'Id of the note among the activities of the company, as text.',
      'data.text': 'The text of the note, cut at 16 KiB.',
    },
    ImportCompletedEvent: {
      'data.import_id': 'Id of the import, as text.',
      'data.object': 'The kind of records that its rows became.',
      'data.status': 'How it ended: `completed`, `failed`, or `canceled`.',
      'data.counts': 'How many rows became what.',
    },
    FieldCreatedEvent: field,
    FieldUpdatedEvent: field,
    ContactCreatedEvent: {
      'data.fields': 'The custom values that the contact was created with, by slug. Empty when it has none.',
      'data.platform': 'The messaging platform of the contact.',
      'data.name': 'Name of the contact. Null when it is unknown.',
      'data.username': 'Username on the platform, without `@`. Null when it is unknown.',
      'data.phone': 'Phone number of the contact. Null when it is unknown.',
      'data.email': 'E-mail address of the contact. Null when it is unknown.',
      'data.company': 'Company of the contact. Null when it is unknown.',
      'data.stage': 'Stage of the contact in its pipeline.',
    },
    ContactUpdatedEvent: changes,
    ContactNoteAddedEvent: {
      'data.activity_id': 'Id of the note among the activities, as text.',
      'data.text': 'The text of the note.',
    },
    ContactMergedEvent: {
      'data.contact_id': 'Id of the contact that was kept, as text.',
      'data.source_contact_id': 'Id of the contact that was merged into it, as text. It answers 404 now.',
    },
    ContactUnsubscribedEvent: {
      'data.contact_id': 'Id of the contact whose sequence it was, as text.',
      'data.address': 'The address that gets no further sequence mail.',
    },
    ContactErasedEvent: { 'data.contact_id': 'Id of the contact that was erased, as text. It answers 404 now.' },
    DealCreatedEvent: {
      'data.fields': 'The custom values that the deal was created with, by slug. Empty when it has none.',
      'data.title': 'Title of the new deal, in one line.',
      'data.stage': 'Stage in which the deal began.',
      'data.probability': 'Chance of winning in percent.',
    },
    DealUpdatedEvent: changes,
    DealColumnChangedEvent: {
      'data.pipeline_id': 'Id of the board on which the deal is now, as text.',
      'data.from_column_id': 'Id of the column before this move, as text.',
      'data.to_column_id': 'Id of the column after this move, as text.',
    },
    PipelineCreatedEvent: {
      'data.pipeline_id': 'Id of the board, as text.',
      'data.name': 'Name of the new board, in one line.',
      'data.is_archived': 'Whether the board is archived: false for a new one.',
    },
    PipelineUpdatedEvent: {
      'data.pipeline_id': 'Id of the board, as text.',
      'data.name': 'Name of the board after the change.',
      'data.is_archived': 'Whether the board is archived after the change.',
    },
    DealStageChangedEvent: {
      'data.pipeline_id': 'Id of the board on which the deal is now, as text.',
      'data.lost_reason': 'Why the deal was lost, as somebody wrote it. Null otherwise.',
      'data.from_stage': 'The stage before this move.',
      'data.to_stage': 'The stage after this move.',
      'data.closed_at': 'When the deal was won or lost. Null while it is open.',
    },
    TaskCreatedEvent: {
      'data.fields': 'The custom values that the task was created with, by slug. Empty when it has none.',
      'data.title': 'Title of the new task, in one line.',
      'data.status': 'Status in which the task began.',
      'data.priority': 'How urgent the task is.',
      'data.due_at': 'When the task should be done. Null when there is no due time.',
      'data.assigned_to_user_id': 'Id of the member who does it, as text. Null when nobody is named.',
    },
    TaskUpdatedEvent: changes,
    TaskStatusChangedEvent: {
      'data.completed_at': 'When the task was done. Null while it is not.',
    },
    TaskReminderDueEvent: {
      'data.title': 'Title of the task, in one line.',
      'data.assigned_to_user_id': 'Id of the member who does it, as text. Null when nobody is named.',
    },
    AccountFloodWaitEvent: {
      'data.wait_seconds': 'How many seconds the platform told the account to wait.',
      'data.until': 'When the wait ends. Messages leave then by themselves.',
      'data.queued_jobs': 'How many messages wait for the account.',
    },
    JobCompletedEvent: {
      'data.status': 'How the job ended: sent or failed.',
      'data.error': 'Why it failed, in words. Null when it was sent.',
      'data.run_at': 'When the message was to leave.',
      'data.completed_at': 'When the job became sent or failed.',
      'data.attempts': 'How many times it was tried.',
    },
    EmailThreadUpdatedEvent: changes,
    ConversationUpdatedEvent: {
      ...changes,
      'data.conversation_id': 'Id of the conversation, as text.',
      'data.thread_id': 'Id of the mail thread that has no contact, as text. Null otherwise.',
    },
    EmailBouncedEvent: {
      'data.bounce_type': [
        'Whether the address will ever take mail.',
        { permanent: 'it will not; further mail is refused', transient: 'it may later' },
      ],
      'data.reason': 'Why the mail came back, in words of the receiving server.',
    },
    SequenceStatusChangedEvent: { 'data.name': 'Name of the sequence, as the panel shows it.' },
    EnrollmentStatusChangedEvent: {
      'data.enrollment_id': 'Id of the enrollment, as text.',
    },
    TransactionCreatedEvent: {
      'data.type': 'Whether money comes in or goes out.',
      'data.status': 'Whether the money has moved already.',
      'data.amount': 'The amount, always above zero, in `currency`.',
      'data.category': 'Purpose of the money. Null when there is no category.',
      'data.source': 'The origin of the booking: a call, a member, a deal, an invoice, or a feed.',
    },
    InvoicePaidEvent: { 'data.paid_at': 'When the invoice was paid.' },
    InvoiceOverdueEvent: { 'data.due_date': 'Date by which it should have been paid.' },
    RevenueSourceSyncFailedEvent: {
      'data.revenue_source_id': 'Id of the revenue source, as text.',
      'data.name': 'Name of the revenue source.',
      'data.error': 'Why the pull failed, in words.',
      'data.last_sync_at': 'When the failed pull ended.',
    },
    KeyCreatedEvent: { 'data.name': 'Name of the key in the workspace.' },
    WebhookTestEvent: {
      'data.message': 'Always `test delivery`, so that logs show what it is.',
      'data.endpoint_id': 'Id of the endpoint under test, as text.',
    },
  },
  like: {
    ...Object.fromEntries(eventKindNames.slice(1).map((kind) => [`${pascalCase(kind)}Event`, 'MessageCreatedEvent'])),
    KeyRevokedEvent: 'KeyCreatedEvent',
  },
  enums: { EventKind: 'A kind of event. `GET /v1/webhooks/event-kinds` explains each with an example.' },
};
