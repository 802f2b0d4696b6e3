import { toMetadataView } from '#lib/core/metadata.ts';

/** The name of a field as `changed` has it, from a caller who may have read it in an answer: `leadScore`, `Stage`. */
export const eventFieldName = (name: string) =>
  name.replaceAll(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function eventValue(field: string, value: unknown): unknown {
  if (field === 'metadata') return toMetadataView(value as Record<string, string>);
  if (Array.isArray(value))
    return value.map((one) => (typeof one === 'object' && one !== null ? eventObject(one) : one));
  return /^id$|Id$/.test(field) && value !== null && value !== undefined ? String(value) : value;
}

const eventObject = (value: object) =>
  Object.fromEntries(Object.entries(value).map(([name, inner]) => [snakeCase(name), eventValue(name, inner)]));

/** An id as events show it. */
export const idText = (id: number | null) => (id === null ? null : String(id));

/** `changed` and `changes` of an event: field names snake_case, ids as strings, also within (contract sections 15 and 0.9). */
export function changesOf<Fields extends object>(
  before: Fields,
  after: Fields,
  fields: readonly (keyof Fields & string)[],
) {
  return {
    changed: fields.map(snakeCase),
    changes: Object.fromEntries(
      fields.map((field) => [
        snakeCase(field),
        { from: eventValue(field, before[field]), to: eventValue(field, after[field]) },
      ]),
    ),
  };
}

/** The fields of a patch that are given and differ. */
export function changedFields<Patch extends object>(
  before: { [Field in keyof Patch]?: unknown },
  patch: Patch,
): (keyof Patch & string)[] {
  return (Object.keys(patch) as (keyof Patch & string)[]).filter(
    (field) => patch[field] !== undefined && patch[field] !== before[field],
  );
}

/** The fields that `changed` of an event may name: those of contacts, companies, deals, tasks, messages, conversations, and mail threads. */
export const changedFieldNames = [
  ...['name', 'username', 'phone', 'email', 'company', 'notes', 'stage', 'lead_score', 'lead_score_is_ai', 'tags'],
  ...['metadata', 'addresses', 'companies', 'fields', 'domains', 'archive', 'assigned_to_user_id', 'title'],
  ...['contact_id', 'company_id', 'value', 'currency', 'probability', 'expected_close_at', 'lost_reason'],
  ...['pipeline_id', 'column_id', 'description', 'priority', 'due_at', 'remind_at', 'deal_id', 'status'],
  ...['body', 'attachments', 'entities', 'data', 'state', 'snoozed_until', 'unread_count'],
];
