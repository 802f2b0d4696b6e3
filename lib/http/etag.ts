import { createHash } from 'node:crypto';

/** A strong entity tag of what is answered. */
export const etagOf = (json: string) => `"${createHash('sha256').update(json).digest('base64url').slice(0, 22)}"`;

/** Whether a list of entity tags (`If-Match`, `If-None-Match`) names this one. */
export const namesTag = (header: string, tag: string) =>
  header.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === tag);
