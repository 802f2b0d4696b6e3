import type { ParseArgsOptionDescriptor, parseArgs } from 'node:util';
import type { Output, Place } from './output.ts';

/** An option as parseArgs takes it, with what the help says of it. */
interface Option extends ParseArgsOptionDescriptor {
  /** Placeholder of its value: `URL`. */
  value?: string;
  help: string;
  /** Its value may begin with a minus. */
  mayBeSigned?: true;
}

export type Options = Record<string, Option>;

export const commonOptions = {
  url: { type: 'string', value: 'URL', help: 'URL of the API; default: CRM_API_URL, then http://127.0.0.1:3000' },
  'key-file': {
    type: 'string',
    value: 'FILE',
    help: 'file of the API key; default: CRM_API_KEY, then the demo key',
  },
  live: { type: 'boolean', help: 'use the live key of the demo instead of its test key' },
  json: { type: 'boolean', help: 'JSON, one value a line; errors too' },
  help: { type: 'boolean', short: 'h', help: 'this text' },
} as const satisfies Options;

/** Values of the options, from parseArgs. */
export type Values<Own extends Options> = ReturnType<
  typeof parseArgs<{ options: Own & typeof commonOptions; allowPositionals: true }>
>['values'];

export type CommonValues = Values<Record<never, never>>;

interface Given<Own extends Options> {
  values: Values<Own>;
  /** Arguments without the name of an option. */
  operands: string[];
  output: Output;
}

export interface Verb<Own extends Options = Options> {
  summary: string;
  /** Usage after the verb: `<kind> [--override a.b=c]…`. */
  usage: string;
  /** Further paragraphs of the help. */
  more?: string;
  options: Own;
  run(given: Given<Own>): Promise<void>;
}

/** Keeps the types of a verb's options. */
export const verb = <const Own extends Options>(of: Verb<Own>): Verb => of as unknown as Verb;

/** Error in the command as written: exit code 2. With the place of the fault where it is in one of its texts. */
export class UsageError extends Error {
  readonly place: Place | undefined;

  constructor(message: string, place?: Place) {
    super(message);
    this.place = place;
  }
}

/** Refusal or failure of the command: exit code 1. */
export class Failure extends Error {}
