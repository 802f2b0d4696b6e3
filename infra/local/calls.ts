import { appendFileSync, readFileSync, rmSync } from 'node:fs';

/** Values of a call for policies, by condition key in lower case. */
export type Values = Readonly<Record<string, string | readonly string[]>>;

/** Call of a function to a service of AWS. */
export interface Call {
  functionName: string;
  action: string;
  /** An ARN. */
  resource: string;
  values: Values;
}

/** Notes what functions call in a file, each kind of call once: `npm run permissions` holds it against the templates. */
export class Calls {
  readonly #path: string;
  readonly #noted = new Set<string>();

  constructor(path: string) {
    this.#path = path;
  }

  /** Forgets what an earlier system has noted. */
  clear(): void {
    rmSync(this.#path, { force: true });
  }

  note(functionName: string, action: string, resource: string, values: Values = {}): void {
    const line = JSON.stringify([functionName, action, placeOf(resource), kindsOf(values)]);
    if (this.#noted.has(line)) return;
    this.#noted.add(line);
    appendFileSync(this.#path, `${line}\n`);
  }
}

/**
 * The variables that tell the local services which function calls: its credentials have its name as their session. They count as ended, and
 * are read again for each call: the SDK would keep them, and a thread runs several functions.
 */
export const sessionOf = (functionName: string) => ({
  AWS_SESSION_TOKEN: functionName,
  AWS_CREDENTIAL_EXPIRATION: '2000-01-01T00:00:00Z',
});

/** Reads what one system, or several with the same file, have noted. */
export function readCalls(path: string): Call[] {
  const lines = new Set(readFileSync(path, 'utf8').split('\n').slice(0, -1));
  return [...lines].sort().map((line) => {
    const [functionName, action, resource, values] = JSON.parse(line);
    return { functionName, action, resource, values };
  });
}

/** Ids that each system has its own of. */
const ownIds = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Returns the bucket folder or group of objects and schedules, whose own names differ with each call. */
const placeOf = (resource: string) =>
  resource
    .replace(/^(arn:aws:s3:::[^/]+\/[^/]*\/|arn:aws:scheduler:[^:]*:[^:]*:schedule\/[^/]+\/).*$/, '$1…')
    .replaceAll(ownIds, '…');

const kindsOf = (values: Values): Values =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, [...new Set([value].flat().map(kindOf))].sort()]),
  );

/** A partition or a folder without the names in it; one of a workspace as that of the first. */
const kindOf = (value: string) =>
  /^\d/.test(value)
    ? value.replace(/^\d+(:\w+)?/, '1:live').replace(/[/?=].*/, '/…')
    : value.replace(/([#/]).*/, '$1…');
