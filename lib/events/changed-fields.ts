/** The fields that `changed` of an event may name: those of contacts, companies, deals, tasks, messages, conversations, and mail threads. */
export const changedFieldNames = [
  ...['name', 'username', 'phone', 'email', 'company', 'notes', 'stage', 'lead_score', 'lead_score_is_ai', 'tags'],
  ...['metadata', 'addresses', 'companies', 'fields', 'domains', 'archive', 'assigned_to_user_id', 'title'],
  ...['contact_id', 'company_id', 'value', 'currency', 'probability', 'expected_close_at', 'lost_reason'],
  ...['pipeline_id', 'column_id', 'description', 'priority', 'due_at', 'remind_at', 'deal_id', 'status'],
  ...['body', 'attachments', 'entities', 'data', 'state', 'snoozed_until', 'unread_count'],
];
