import type { unauthorizedReasons } from '#lib/auth/identify-key.ts';
import type { badRequestReasons, conflictReasons, rateReasons } from '#lib/core/reasons.ts';

/** Each reason of a 400: what happened, and what to do. */
export const badRequest: Readonly<Record<(typeof badRequestReasons)[number], string>> = {
  malformed_json: 'The body is not valid JSON. Check quotes, commas, and the encoding, which is UTF-8.',
  unsupported_content_type:
    'The body has another content type than JSON. Send it with `Content-Type: application/json`.',
  unsupported_content_encoding:
    'The body is compressed, or has another `Content-Encoding` than `identity`. Send it as it is.',
  body_too_large: 'The body is larger than 1 MiB. Send less at once, or upload files with `POST /v1/files`.',
  won_is_panel_only:
    'A deal cannot be won over the API, because that books income. Ask a member to win it in the panel.',
  same_company: 'A company cannot be merged into itself. Name another one in `sourceCompanyId`.',
  same_contact: 'A contact cannot be merged into itself. Name another contact in `sourceContactId`.',
  batch_too_large:
    'The changes are more than fits: 10 MB for a batch, about 90 rows and 3 MB for one change or an atomic batch, 400 KB for a record. Split them into several calls.',
  batch_failed:
    'An item of an atomic batch failed, so nothing was done. `results` says which and why; correct it and send all again.',
  attachments_not_supported:
    'Accounts of this kind cannot send files. Leave `attachments` out, or send a link in the text.',
  no_recipient:
    'Nobody outside has written in this thread, so there is nobody to reply to. Write a new message instead.',
  method_not_allowed:
    'The path exists, but not with this method (status 405). `allowed` and the header `Allow` list those it takes.',
  range_too_large:
    'The range holds more than one call can read in two seconds. Ask for a shorter one, and add the results up.',
  view_invalid:
    'The view of `viewId` asks a field that was archived: `field`. Change its filter, order, and columns with `PATCH /v1/views/{id}`.',
};

/** Reasons of a 400 that each messaging channel has: `no_telegram_identity`. */
export const noIdentity = (channel: string, hasUsernames: boolean) =>
  `The contact has ${hasUsernames ? 'neither an id nor a username' : 'no id'} on ${channel}, so it cannot be written to there. ${hasUsernames ? 'Add a username' : 'Wait until the person writes'}, or name the recipient directly.`;

/** Each reason of a 401. */
export const unauthorized: Readonly<Record<keyof typeof unauthorizedReasons, string>> = {
  missing_key: 'The call has no key. Send one in the header: `Authorization: Bearer csk_…`.',
  malformed_key:
    'The key does not have the form `csk_<env>_<keyId><secret>`. Check whether it was cut or has white space in it.',
  unknown_key: 'There is no such key here. Check whether it belongs to another deployment, or create a new one.',
  revoked_key: 'The key was revoked and will never work again. Create a new one.',
  expired_key: 'The key has passed its `expiresAt`. Create a new one, or change the expiry with another key.',
};

/** Each reason of a 403. */
export const forbidden = {
  missing_scope: 'The key lacks a scope. Give it one of `requiredScopes`, or use a key that has it.',
  ip_not_allowed:
    'The key may not be used from this address. Call from an allowed one, or change the `ipAllowlist` of the key.',
  stronger_key:
    'The call would create or change a key that is stronger than the calling one. `field` says in what. Ask for less, or use a stronger key.',
  live_key: 'A test key cannot change a live key. Use a live key with `keys:manage`.',
  foreign_origin:
    'A web page of another site has called the MCP server, which takes no such calls. Call it from a program.',
  panel_only: 'The operation belongs to the panel and takes no API key. A member can do it there.',
} as const;

/** Each reason of a 409 or 412. */
export const conflict: Readonly<Record<(typeof conflictReasons)[number], string>> = {
  idempotency_key_reused:
    'The `Idempotency-Key` was used for another call: another query or body, or by another API key. Use a new key for each write.',
  idempotency_in_progress:
    'The first call with this `Idempotency-Key` is still running. Wait for `Retry-After` and repeat the call to get its answer.',
  ambiguous_match: 'Several contacts match the upsert: `contactIds`. Merge them, or change the right one by its id.',
  platform_mismatch: 'The two contacts are on different platforms, so they cannot be merged. Keep both.',
  saved_reply_name_taken: 'Another saved reply has this name: `savedReplyId`. Change that one, or choose another name.',
  saved_reply_shortcut_taken:
    'Another saved reply has this shortcut: `savedReplyId`. Choose another shortcut, or none.',
  tag_name_taken: 'Another tag has this name: `tagId`. Use that tag, or choose another name.',
  job_not_queued:
    'The message is being sent, was sent, or has failed, so it cannot be canceled or changed. Read the job for its status.',
  job_not_failed: 'The message has not failed, so it cannot be tried again. Read the job for its status.',
  deal_won: 'The value and currency of a won deal are booked and cannot change. Book a transaction to correct them.',
  invoice_not_payable:
    'The invoice is a draft, canceled, or paid already: `status`. Only sent and overdue invoices can be paid.',
  thread_is_spam: 'The thread is marked as spam, so it is not answered. Set its status to `open` first.',
  thread_has_contact: 'The thread is of another contact. Merge the two contacts instead.',
  sequence_not_active: 'The sequence is not active, so it cannot be paused. Read it for its status.',
  sequence_not_paused: 'The sequence is not paused, so it cannot be resumed. Read it for its status.',
  webhook_url_taken: 'Another endpoint has this address. Change that one, or delete it first.',
  limit_reached:
    'The workspace has as many of these as it may have. Delete or revoke one first; the message names the limit.',
  delivery_in_progress:
    'The delivery is still being tried, so it cannot be replayed. Wait until it has succeeded or failed.',
  cursor_expired:
    'Events before `oldestSequence` are no longer kept. Read the resources themselves, then go on from there.',
  agent_disabled: 'The agent is switched off, so it cannot be tried. A member can enable it in the panel.',
  self_lockout: 'The new allowlist would lock out the address of this very call. Include it, or use another key.',
  key_revoked: 'The key is revoked and cannot be changed any more. Create a new one.',
  account_exists: 'The bot or person is connected here already: `accountId`. Use that account, or give it a new token.',
  other_account: 'The token belongs to another bot or person than this account. Connect it as a new account.',
  too_many_accounts: 'The environment has 100 connected accounts, or 1,000 in all. Disconnect one first.',
  no_public_address:
    'The deployment has no public https address, which webhooks need. Use `polling`, or have the operator set `PUBLIC_URL`.',
  telegram_not_configured:
    'The deployment cannot log Telegram users in. Have the operator set `TELEGRAM_API_ID` and its hash.',
  code_needed: 'The login needs its code before the password. Enter the code first.',
  password_needed: 'The code was accepted, and the login needs the password now. Enter that.',
  login_over: 'The login has ended: it took too long, or had too many wrong tries. Begin another one.',
  login_in_progress: 'Another call is entering something into this login. Wait a moment and read its answer.',
  login_refused: 'Telegram refuses the login; the message says why. Correct the cause and begin another one.',
  mail_not_configured:
    'The deployment has no sender address, so it cannot send mail. Have the operator set `MAIL_FROM`.',
  recipient_bounced:
    'Mail to some of the `recipients` has bounced for good. Correct the addresses, or send with `force: true`.',
  model_not_available:
    'The model of the agent does not exist at Amazon Bedrock, or the deployment may not use it. Choose another model in the panel.',
  field_slug_taken:
    'Another field of the object has this slug: `fieldId`. Archived fields keep theirs, so choose another slug, or restore that field.',
  domain_taken: 'Another company has one of the domains: `companyId`. Merge the companies, or leave the domain out.',
  archived: 'The record is archived, and takes no change but a restore. Send `POST …/restore` first.',
  address_exists: 'The contact has this address already, perhaps in another spelling. Change that address instead.',
  address_taken:
    'Another contact has this address: `contactId`. Use that contact, merge both, or send `force: true` if they share it.',
  field_value_taken:
    'Another record has this value of a unique field: `field` is its slug and `id` the record. Change that record first, or send another value.',
  pipeline_in_use:
    'The board has open deals: `open` says how many. Send `moveTo` with the id of the board that takes them.',
  default_pipeline:
    'The default board takes new deals, so it cannot be archived. Make another board the default one first: `PATCH /v1/pipelines/{id}` with `isDefault: true`.',
  column_in_use:
    'Deals are in the column: `count` says how many. Send `moveTo` with the id of the column of the same board that takes them.',
  column_required:
    'The board cannot be without this column: its last active one, `won`, `lost`, or one of the six that a workspace begins with. Rename it instead.',
  import_not_undoable:
    'The import is running, was a dry run, or ended before its first row, so there is nothing to undo. Cancel a running one, or wait until it has ended.',
  import_over:
    'The import has ended, so it cannot be canceled; or it is undone, or ended more than 24 hours ago, so it cannot be undone. Change or archive the records instead.',
  stages_missing:
    'The default board needs a column of every active stage: `stages` names those that are missing. Add them, or restore the board if it is archived.',
  stale_version:
    'The resource has changed since the ETag in `If-Match` (status 412). Read it again, and repeat your change on the new version.',
};

/** Each reason of a 429; without one, the requests of the minute are used up. */
export const rateLimited: Readonly<Record<(typeof rateReasons)[number], string>> = {
  daily_quota:
    'The workspace has used up a quota of the day: mails, agent tokens, or Telegram logins. Wait until midnight UTC, or have the operator raise it.',
  too_many_at_once:
    'Ten calls of the workspace are waiting for somebody outside already. Wait until some have ended, and repeat the call.',
  code_sent_lately: 'Telegram sent this phone a code less than a minute ago. Use that code, or wait for `Retry-After`.',
};
