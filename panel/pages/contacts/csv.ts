import type { Schema } from '../../../client/index.ts';

type Contact = Schema<'Contact'>;

/** A cell that no spreadsheet takes for a formula; a phone number stays as it is. */
const cell = (value: string | number | null) => {
  const text = String(value ?? '');
  const isFormula = /^[=@\t\r]/.test(text) || (/^[+-]/.test(text) && !/^[+-][\d\s()./-]*$/.test(text));
  return `"${(isFormula ? `'${text}` : text).replaceAll('"', '""')}"`;
};

const columns = [
  'id',
  'name',
  'username',
  'phone',
  'email',
  'company',
  'stage',
  'leadScore',
  'assignedToUserId',
  'platform',
  'createdAt',
  'lastMessageAt',
  'notes',
] as const satisfies readonly (keyof Contact)[];

/** Writes contacts as CSV (RFC 4180), with the names of the API in the first line. */
export const csvOf = (contacts: readonly Contact[]): string =>
  [columns.join(','), ...contacts.map((contact) => columns.map((name) => cell(contact[name])).join(','))]
    .map((line) => `${line}\r\n`)
    .join('');
