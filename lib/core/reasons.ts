/** Why a 409 is one: those of contract section 16 and those that came after it. */
export const conflictReasons = {
  idempotency_key_reused: 'the Idempotency-Key was used with another query or body, or by another key',
  idempotency_in_progress: 'the first call under this Idempotency-Key is still running: try again after Retry-After',
  ambiguous_match: 'several contacts match: `contactIds`',
  platform_mismatch: 'contacts of two platforms cannot be merged',
  tag_name_taken: 'another tag has this name: `tagId`',
  job_not_queued: 'only a queued job that is not being sent can be canceled',
  job_not_failed: 'only a failed job can be tried again',
  deal_won: 'value and currency of a won deal are booked',
  invoice_not_payable: 'only a sent or overdue invoice can be paid: `status`',
  thread_is_spam: 'a spam thread is not answered',
  sequence_not_active: 'only an active sequence can be paused',
  sequence_not_paused: 'only a paused sequence can go on',
  webhook_url_taken: 'another endpoint has this URL',
  limit_reached: 'there are as many as there may be: tags, endpoints, keys, revenue sources',
  delivery_in_progress: 'the delivery is still being tried',
  cursor_expired: 'events before `oldestSequence` are no longer kept',
  agent_disabled: 'the agent is disabled',
  self_lockout: 'the allowlist would lock out the address of this call',
  key_revoked: 'the key is revoked',
  account_exists: 'the bot or person is connected here already: `accountId`',
  other_account: 'the token is of another bot or person than the account',
  too_many_accounts: 'an environment has at most 100 accounts that are connected, and 1000 of all',
  no_public_address: 'webhooks need a public https address of the deployment (`PUBLIC_URL`)',
  telegram_not_configured: 'the deployment has no `TELEGRAM_API_ID` and hash, which Telegram users log in with',
  code_needed: 'the login needs its code before the password',
  password_needed: 'the login has had its code and needs the password',
  login_over: 'nothing can be entered into this login any more: begin another',
  login_in_progress: 'another call enters something into this login at the moment',
  login_refused: 'Telegram refuses the login, and says why in the message',
  mail_not_configured: 'the deployment has no sender address (`MAIL_FROM`)',
  recipient_bounced: 'mail to one of the `recipients` has bounced for good: `force` sends it again',
  model_not_available:
    'the deployment may not use the model of this agent at Bedrock, there is none of that name, or it does not take what agents ask',
  stale_version: 'the resource has changed since the ETag in If-Match (412)',
} as const;

/** What the panel's operations are refused for besides. */
const panelReasons = {
  member_exists: 'an active member has this address already: `memberId`',
  last_owner: 'the last active owner of a workspace stays one',
  invoice_not_sendable: 'only a draft can be sent: `status`',
  invoice_not_cancelable: 'only a draft, a sent or an overdue invoice can be canceled: `status`',
  sequence_not_draft: 'only a draft can be changed or activated: `status`',
} as const;

/** What an operator's command is refused for. */
type OperatorReason = 'already_enrolled' | 'dead_letters' | 'workspace_in_use';

export type ConflictReason = keyof typeof conflictReasons | keyof typeof panelReasons | OperatorReason;

/** Why a 400 is one that is not about fields. */
export const badRequestReasons = {
  malformed_json: 'the body is not valid JSON',
  unsupported_content_type: 'a body is sent with `Content-Type: application/json`',
  unsupported_content_encoding: 'a body is sent uncompressed: `Content-Encoding` is absent or `identity`',
  body_too_large: 'a body has at most 1 MiB',
  won_is_panel_only: 'a deal is won in the panel only',
  same_contact: 'a contact is not merged into itself',
  batch_too_large:
    'a batch writes at most 10 MB, an atomic one about 90 rows and 3 MB: put the item, or some of the atomic ones, in another batch',
  batch_failed: 'an item of an atomic batch failed, so nothing was done: `results`',
  attachments_not_supported: 'accounts of this kind send no files',
  no_recipient: 'nobody has written in this thread to whom an answer could go',
  method_not_allowed: 'the path does not answer this method (405): `allowed`',
  range_too_large: 'there is more in the range than one call may sum or mark: ask for a shorter one',
} as const;

/** Each channel has its own: `no_telegram_identity`. */
export type BadRequestReason = keyof typeof badRequestReasons | `no_${string}_identity` | 'broken_archive';

/** Why a 429 is one, where it is not for the requests of the minute. */
export const rateReasons = {
  daily_quota:
    'the workspace has used up its mails, agent tokens, delivery attempts or Telegram logins of a day in UTC',
  too_many_at_once: 'too many calls of the workspace that wait for somebody outside are under way',
  code_sent_lately: 'Telegram sent this phone a code less than a minute ago',
} as const;

export type RateReason = keyof typeof rateReasons;
