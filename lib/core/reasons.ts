/** Why a 409 is one (contract section 16, and later ones). `infra/openapi/descriptions/errors.ts` explains each reason. */
export const conflictReasons = [
  'idempotency_key_reused',
  'idempotency_in_progress',
  'ambiguous_match',
  'platform_mismatch',
  'tag_name_taken',
  'saved_reply_name_taken',
  'saved_reply_shortcut_taken',
  'job_not_queued',
  'job_not_failed',
  'deal_won',
  'invoice_not_payable',
  'thread_is_spam',
  'thread_has_contact',
  'sequence_not_active',
  'sequence_not_paused',
  'webhook_url_taken',
  'limit_reached',
  'delivery_in_progress',
  'cursor_expired',
  'agent_disabled',
  'self_lockout',
  'key_revoked',
  'account_exists',
  'other_account',
  'too_many_accounts',
  'no_public_address',
  'telegram_not_configured',
  'code_needed',
  'password_needed',
  'login_over',
  'login_in_progress',
  'login_refused',
  'mail_not_configured',
  'recipient_bounced',
  'model_not_available',
  'stale_version',
  'field_slug_taken',
  'field_value_taken',
  'domain_taken',
  'archived',
  'address_exists',
  'address_taken',
  'pipeline_in_use',
  'default_pipeline',
  'column_in_use',
  'column_required',
  'stages_missing',
  'import_not_undoable',
  'import_over',
] as const;

/** Further reasons, of the panel's operations. */
type PanelReason =
  | 'member_exists'
  | 'last_owner'
  | 'invoice_not_sendable'
  | 'invoice_not_cancelable'
  | 'sequence_not_draft';

/** Reasons that only an operator's commands answer with. */
type OperatorReason = 'already_enrolled' | 'dead_letters' | 'workspace_in_use';

export type ConflictReason = (typeof conflictReasons)[number] | PanelReason | OperatorReason;

/** Why a 400 is one that is not about fields. */
export const badRequestReasons = [
  'malformed_json',
  'unsupported_content_type',
  'unsupported_content_encoding',
  'body_too_large',
  'won_is_panel_only',
  'same_contact',
  'same_company',
  'batch_too_large',
  'batch_failed',
  'attachments_not_supported',
  'no_recipient',
  'method_not_allowed',
  'range_too_large',
  'view_invalid',
] as const;

/** Each channel has its own: `no_telegram_identity`. */
export type BadRequestReason = (typeof badRequestReasons)[number] | `no_${string}_identity` | 'broken_archive';

/** Why a 429 is one, where it is not for the requests of the minute. */
export const rateReasons = ['daily_quota', 'too_many_at_once', 'code_sent_lately'] as const;

export type RateReason = (typeof rateReasons)[number];
