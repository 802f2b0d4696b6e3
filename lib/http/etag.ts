import { createHash } from 'node:crypto';

const hashOf = (json: string) => createHash('sha256').update(json).digest('base64url').slice(0, 22);

/** Fields of a resource that change without anybody's change of it. */
export interface Changing {
  /** The tag leaves them out: whoever has it has missed nothing. */
  volatile?: readonly string[];
  /** The tag tells of them (`If-None-Match`), but they make no writer's tag stale (`If-Match`). */
  reported?: readonly string[];
}

/** A strong entity tag of what is answered; what is `reported` is in its second part alone. */
export function etagOf(shown: unknown, { volatile = [], reported = [] }: Changing): string {
  const without = (left: readonly string[]) =>
    hashOf(
      JSON.stringify(shown, left.length === 0 ? undefined : (name, value) => (left.includes(name) ? undefined : value)),
    );
  const lasting = without([...volatile, ...reported]);
  return reported.length === 0 ? `"${lasting}"` : `"${lasting}.${without(volatile)}"`;
}

const tagsIn = (header: string) => header.split(',').map((one) => one.trim().replace(/^W\//, ''));

/** Whether `If-None-Match` names what is answered. */
export const namesTag = (header: string, tag: string) => tagsIn(header).some((one) => one === '*' || one === tag);

const lastingPart = (tag: string) => tag.split('.')[0]?.replaceAll('"', '');

/** Whether `If-Match` names the resource as it is, but for what is `reported` of it. */
export const matchesTag = (header: string, tag: string) =>
  tagsIn(header).some((one) => one === '*' || lastingPart(one) === lastingPart(tag));
