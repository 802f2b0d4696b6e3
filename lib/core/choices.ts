/** The words that rows, answers and events share, each list in the order in which the document shows it. */

export const contactStages = ['new', 'contacted', 'engaged', 'qualified', 'customer', 'lost'] as const;

/** Kinds of addresses of a contact. */
export const addressKinds = ['email', 'phone'] as const;

export const activeDealStages = ['lead', 'qualified', 'proposal', 'negotiation'] as const;
export const dealStages = [...activeDealStages, 'won', 'lost'] as const;

export const taskStatuses = ['open', 'inprogress', 'done'] as const;
export const taskPriorities = ['low', 'medium', 'high'] as const;

export const directions = ['inbound', 'outbound'] as const;
export const messageStatuses = ['received', 'queued', 'sent', 'failed'] as const;

export const jobEndings = ['sent', 'failed'] as const;
export const jobStatuses = ['queued', ...jobEndings] as const;

export const accountStates = ['active', 'disconnected', 'banned'] as const;
export const accountStatuses = ['active', 'flood_wait', 'disconnected', 'banned'] as const;

export const roles = ['owner', 'admin', 'member'] as const;
export type Role = (typeof roles)[number];

/** Order of day, month, and year: that of the language, or a fixed one. */
export const dateForms = ['language', 'dmy', 'mdy', 'iso'] as const;
export const themes = ['system', 'light', 'dark'] as const;

export const inboundModes = ['webhook', 'polling', 'off'] as const;
export type InboundMode = (typeof inboundModes)[number];
export const inboundStatuses = ['ok', 'failing', 'off'] as const;
export const bounceTypes = ['permanent', 'transient'] as const;
export const suppressionReasons = ['bounce', 'complaint', 'unsubscribe', 'manual'] as const;
export type SuppressionReason = (typeof suppressionReasons)[number];

export const sequenceStatuses = ['draft', 'active', 'paused', 'completed'] as const;
export const enrollmentStatuses = ['active', 'paused', 'replied', 'completed', 'failed', 'stopped'] as const;

export const transactionTypes = ['income', 'expense'] as const;
export const transactionStatuses = ['realized', 'pending'] as const;
export const transactionSources = ['api', 'panel', 'deal', 'invoice', 'revenue_source'] as const;

/** The kinds of records that have custom fields. */
export const fieldObjects = ['contact', 'company', 'deal', 'task'] as const;
/** The same by the nouns of their routes. */
export const fieldObjectOf = { contacts: 'contact', companies: 'company', deals: 'deal', tasks: 'task' } as const;

/** Entities of which searches read a copy. */
export const copiedNouns = [...fieldObjects, 'email-thread'] as const;
export type CopiedNoun = (typeof copiedNouns)[number];
/** The types of custom fields. */
export const fieldTypes = [
  'text',
  'long_text',
  'number',
  'money',
  'checkbox',
  'date',
  'datetime',
  'select',
  'multi_select',
  'url',
  'email',
  'phone',
  'member',
  'contact',
  'company',
  'deal',
] as const;

/** The kinds of records that are exported as files. */
export const exportObjects = [
  'contacts',
  'companies',
  'deals',
  'tasks',
  'notes',
  'messages',
  'transactions',
  'invoices',
  'events',
] as const;
export type ExportObject = (typeof exportObjects)[number];
export const exportFormats = ['csv', 'ndjson', 'parquet'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** The kinds of records that files bring in. */
export const importObjects = ['contacts', 'companies', 'deals', 'tasks', 'notes'] as const;
export type ImportObject = (typeof importObjects)[number];
export const importEndings = ['completed', 'failed', 'canceled'] as const;
export const importStatuses = ['queued', 'running', ...importEndings, 'undoing', 'undone'] as const;
