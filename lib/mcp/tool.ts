import type * as v from 'valibot';
import { entriesOf } from '#lib/core/fields.ts';
import { idInput } from '#lib/core/schema.ts';
import { type Scope, scopesOf } from '#lib/core/scopes.ts';
import type { Endpoint } from '#lib/http/endpoint.ts';

export type Arguments = Record<string, unknown>;

/** Runs one operation with those of the arguments that it knows. Resolves with the body of its answer. Raises Problems. */
export type Ask = (of: Endpoint, args: Arguments) => Promise<View>;
/** Runs several writes to one resource as one; resolves with the resource and the bodies of all answers. */
export type Update = (steps: readonly [Part, ...Part[]]) => Promise<{ shown: View; answers: View[] }>;
type Part = readonly [of: Endpoint, args: Arguments];

// biome-ignore lint/suspicious/noExplicitAny: the schema of its route says what a body is.
export type View = any;

/** One parameter of a tool, as the model reads it. */
export interface Parameter {
  schema: v.GenericSchema;
  description: string;
  isRequired: boolean;
  /** The tool itself reads it; the others are handed to the operations. */
  isOwn: boolean;
}

export type Parameters = Record<string, Parameter>;

/** How far a tool reaches, from which its annotations follow. */
type Effect = 'reads' | 'asks a model' | 'adds' | 'sets' | 'sets and adds' | 'is final';

export interface Tool {
  name: string;
  title: string;
  description: string;
  effect: Effect;
  /** Something leaves the CRM: a message, or a question to a language model. */
  reachesOut?: true;
  /**
   * The operations behind it. One list, all of one scope: the tool is there with that scope. By the values of one parameter:
   * each value is there with the scopes of its operations, the tool with any value. `usual` is meant where none is said.
   */
  uses: readonly Endpoint[] | Choice;
  /** Further operations, which it asks where the scopes of the caller allow it. */
  mayUse?: readonly Endpoint[];
  takes: Parameters;
  /** Names of parameters by those that the operations have for them, so that errors name what the model sent. */
  renamed?: Record<string, string>;
  /** JSON Schema of the result. It requires nothing, because a refusal has the error envelope instead. */
  gives: object;
  run(ask: Ask, args: Arguments, update: Update): Promise<unknown>;
}

interface Choice {
  by: string;
  description: string;
  usual?: string;
  values: Record<string, readonly Endpoint[]>;
}

export const isChoice = (uses: Tool['uses']): uses is Choice => !Array.isArray(uses);

export const endpointsOf = ({ uses }: Tool): Endpoint[] =>
  isChoice(uses) ? Object.values(uses.values).flat() : [...uses];

/** Returns the endpoint for a value of a choice: its second one, if any, for a call with an id. */
export function allOrOne(values: Choice['values'], value: unknown, { id }: Arguments): Endpoint {
  const [all, one = all] = values[String(value)] ?? [];
  const asked = id === undefined ? all : one;
  if (asked === undefined) throw new Error(`no endpoint is behind ${value}`);
  return asked;
}

const allows = (scopes: readonly Scope[], { route }: Endpoint) =>
  scopesOf(route).length === 0 || scopesOf(route).some((scope) => scopes.includes(scope));

/** Returns the name of custom values in the results of a tool whose `fields` chooses what to show, and of any other. */
export const nameOfValues = ({ takes }: Tool): 'fieldValues' | 'fields' =>
  takes['fields']?.isOwn ? 'fieldValues' : 'fields';

/** The values of its choice that these scopes allow; nothing when the tool has no choice. */
export const allowedValues = ({ uses }: Tool, scopes: readonly Scope[]): string[] | undefined =>
  isChoice(uses)
    ? Object.entries(uses.values)
        .filter(([, endpoints]) => endpoints.every((of) => allows(scopes, of)))
        .map(([value]) => value)
    : undefined;

export function isAllowed(tool: Tool, scopes: readonly Scope[]): boolean {
  const values = allowedValues(tool, scopes);
  return values ? values.length > 0 : endpointsOf(tool).every((of) => allows(scopes, of));
}

/** Hints by effect. Overwriting is destructive; a call that costs money is neither read-only nor idempotent. */
const hints: Record<Effect, object> = {
  reads: { readOnlyHint: true },
  'asks a model': { destructiveHint: false },
  adds: { destructiveHint: false },
  sets: { destructiveHint: true, idempotentHint: true },
  'sets and adds': { destructiveHint: true },
  'is final': { destructiveHint: true },
};

/** By the protocol's default a tool reaches outside, where what is read may come from too; of other writes it is said that they do not. */
export const annotationsOf = ({ effect, reachesOut }: Tool): object => ({
  ...hints[effect],
  ...(effect !== 'reads' && !reachesOut && { openWorldHint: false }),
});

/** Parameters of an operation's query or body under their own names, described for the model. */
export function pick(schema: v.GenericSchema | undefined, descriptions: Record<string, string>): Parameters {
  const entries = entriesOf(schema) as Record<string, v.GenericSchema>;
  return Object.fromEntries(
    Object.entries(descriptions).map(([name, description]) => {
      const entry = entries[name];
      if (!entry) throw new Error(`no operation parameter is named ${name}`);
      return [name, { schema: entry, description, isRequired: entry.type !== 'optional', isOwn: false }];
    }),
  );
}

/** The same, none of them required. */
export const optional = (parameters: Parameters): Parameters =>
  Object.fromEntries(Object.entries(parameters).map(([name, of]) => [name, { ...of, isRequired: false }]));

/** The same, read by the tool itself as well. */
export const shared = (parameters: Parameters): Parameters =>
  Object.fromEntries(Object.entries(parameters).map(([name, of]) => [name, { ...of, isOwn: true }]));

/** A parameter of several operations, or one whose own schema would say too much. */
export const passed = (schema: v.GenericSchema, description: string, isRequired = false): Parameter => ({
  schema,
  description,
  isRequired,
  isOwn: false,
});

/** The id in an operation's path. */
export const idOf = (description: string): Parameter => passed(idInput(), description, true);

/** A parameter that the tool itself reads. */
export const own = (schema: v.GenericSchema, description: string): Parameter => ({
  schema,
  description,
  isRequired: false,
  isOwn: true,
});
