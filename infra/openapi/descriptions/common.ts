import type { Texts } from './noun.ts';

/** Descriptions of query parameters, unless the noun has another. */
export const parameters: Texts = {
  after:
    'Cursor: only entries with an id below this one are listed. Pass `nextCursor` of the page before; leave it out for the first page.',
  limit:
    'How many entries a page has at most, 1 to 100, 25 by default. A number out of range is taken as the nearest one.',
  ids: 'Only the entries with these ids: up to 100, separated by commas, as in `7,12,31`. Ids that do not exist are left out.',
  createdSince:
    'Only what was created at or after this time, for example `2026-11-01T00:00:00Z`. Any offset is accepted.',
  updatedSince:
    'Only what was created or changed at or after this time. Use it with the time of your last sync to read what is new since then.',
  metadata:
    'Only entries that have all of these metadata pairs, compared exactly. Written `metadata[externalId]=crm-7` or `metadata.externalId=crm-7`.',
  archived:
    'Whether archived records are listed: `false` leaves them out and is the default, `true` lists only them, `all` lists both.',
  currency: 'Only amounts in this currency, as its three letters of ISO 4217: `EUR`.',
};

/** Descriptions of properties by their place in the schema, unless the noun has another. */
export const properties: Texts = {
  nextCursor: 'Cursor of the next page: pass it as `after`. Null on the last page.',
  hasMore: 'Whether there are entries after this page. Read on until it is false; a page may be shorter than `limit`.',
  items: 'The entries of this page, newest first, at most `limit` of them.',
  createdAt: 'When it was created, in UTC to the second.',
  updatedAt: 'When it was last changed, in UTC. Null until the first change.',
  op: 'The operation of this item. The other fields are the same as in the single call.',
  'data.actor': 'The member, program, AI agent, or system that did it.',
  'data.deal_id': 'Id of the deal, as text. Null when there is none.',
  'data.task_id': 'Id of the task, as text.',
  'data.value': 'Amount at stake, in `currency`.',
  'data.currency': 'Currency of the amount, as its three letters of ISO 4217.',
  'data.from_status': 'The status before this change.',
  'data.to_status': 'The status after this change.',
  'data.recipient': 'Address that the mail was sent to.',
  'data.sequence_id': 'Id of the sequence, as text.',
  'data.transaction_id': 'Id of the transaction, as text.',
  'data.invoice_id': 'Id of the invoice, as text. Null when there is none.',
  'data.invoice_number': 'Number printed on the invoice, for example `INV-2026-0042`.',
  'data.total': 'Total of the invoice, in `currency`.',
  'data.key_id': 'The 12-character id of the key.',
  'data.scopes': 'Permissions of the key, as scopes such as `deals:read`.',
  'data.env': 'Environment of the key: live or test.',
  archive: 'When and by whom it was archived. Null while it is not. Only with `include=archive`.',
  assignedToUserId: 'Id of the member who looks after it. Null when nobody does. See `GET /v1/members`.',
};

/** Headers of requests and answers by component name. */
export const headers: Readonly<Record<string, string>> = {
  'X-RateLimit-Limit': 'Requests that this key may make in one minute, 600 unless the operator has set another number.',
  'X-RateLimit-Remaining':
    'Requests left to this key in the current minute. A costly call counts as several; its own cost is included here.',
  'X-RateLimit-Reset': 'When the next minute begins and the limit is full again, in Unix seconds.',
  'X-Request-Id':
    'Id of this request, to be quoted to support. Send your own `X-Request-Id` (1 to 64 of `A-Za-z0-9._-`) to have it echoed.',
  'X-Api-Revision': 'Revision of this document that the answer follows, for example `1.4.0`.',
  'X-Ignored-Parameters':
    'Unknown query parameters and body fields that were ignored: the first 20 names, then `+3 more`. Check it when a filter seems to do nothing.',
  'Idempotency-Replayed': '`true` when this is the stored answer of an earlier call with the same `Idempotency-Key`.',
  'Retry-After': 'How many seconds to wait before you repeat the call.',
  ETag: 'Version of the resource. Send it back in `If-Match` to change only this version, or in `If-None-Match` to read only a newer one.',
  Location: 'Path of the resource that the call has created, for example `/v1/contacts/7`.',
  IdempotencyKey:
    'Makes the call safe to repeat for 24 hours: the same key and body get the stored answer. 1 to 255 printable characters, new for each write.',
  IfMatch:
    'ETag of the version that you have read. If the resource has changed since, the call answers 412 and changes nothing.',
  IfNoneMatch: 'ETag of the version that you have. If it is still the current one, the answer is 304 without a body.',
  DeliveryEvent: 'The kind of the event, as in `event` of the body.',
  DeliveryId: 'Id of this delivery, the same in every attempt. Use it to drop an event that arrives twice.',
  DeliveryAttempt: 'Number of the attempt, counted from 1.',
  DeliveryTimestamp:
    'When this attempt was signed, in Unix seconds. Refuse attempts that are more than a few minutes old.',
  DeliverySignature:
    'Signature of the body: `sha256=` and the hexadecimal HMAC-SHA256, keyed with the whole secret, prefix included.',
  DeliverySignaturePrevious: 'Signature of the body with the secret before. Sent only during the grace of a rotation.',
  DeliveryReplayOf: 'Id of the delivery that this one repeats. Sent only with a replay.',
  DeliveryWebhookId: 'The same as `X-SVC-Delivery`, under the name that Standard Webhooks libraries read.',
  DeliveryWebhookTimestamp: 'The same as `X-SVC-Timestamp`, under the name that Standard Webhooks libraries read.',
  DeliveryWebhookSignature:
    'Signature as Standard Webhooks defines it: `v1,` and base64. During the grace of a rotation there are two, separated by a space.',
};
