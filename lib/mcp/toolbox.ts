import * as v from 'valibot';
import { boundNames, entriesOf, parseFields } from '#lib/core/fields.ts';
import { log } from '#lib/core/log.ts';
import { invalidField, invalidFields, type Problem } from '#lib/core/problem.ts';
import type { Scope } from '#lib/core/scopes.ts';
import type { IdentifiedRequest } from '#lib/http/endpoint.ts';
import { problemOf } from '#lib/http/refuse.ts';
import { meantBy } from './arguments.ts';
import { asking } from './ask.ts';
import type { Toolbox } from './converse.ts';
import { definitionOf } from './definition.ts';
import { isObject } from './message.ts';
import { resultOf, type ToolResult, withFields, withValuesAs } from './result.ts';
import { type Arguments, allowedValues, endpointsOf, isAllowed, isChoice, nameOfValues, type Tool } from './tool.ts';

type Request = Pick<IdentifiedRequest, 'caller' | 'facts' | 'reserve'>;

/** The tools that a caller's scopes allow. */
export const toolboxOf = (tools: readonly Tool[], request: Request): Toolbox => {
  const { scopes } = request.caller;
  const allowed = tools.filter((tool) => isAllowed(tool, scopes));
  return {
    list: () => allowed.map((tool) => definitionOf(tool, allowedValues(tool, scopes))),
    call(name, args) {
      const tool = allowed.find((one) => one.name === name);
      return tool && run(tool, args, request);
    },
  };
};

async function run(tool: Tool, given: Arguments, request: Request): Promise<ToolResult> {
  const { ask, update, taken, ignored } = asking(request, [...endpointsOf(tool), ...(tool.mayUse ?? [])]);
  try {
    const args = withOwn(tool, opened(tool, chosen(tool, meantBy(tool, given), request.caller.scopes)));
    const value = withValuesAs(nameOfValues(tool), (await tool.run(ask, args, update)) as object);
    const untaken = Object.keys(args).filter((name) => !taken.has(name) && !isOwn(tool, name));
    requireFilter(tool, args, new Set([...ignored, ...untaken]));
    const ignoredArguments = [...new Set([...ignored, ...boundNames(untaken)])];
    return resultOf({
      ...withFields(Array.isArray(value) ? { items: value } : value, fieldsIn(tool, args), responseFields(tool, args)),
      ...(ignoredArguments.length > 0 && { ignoredArguments }),
    });
  } catch (error) {
    const problem = problemOf(error);
    if (problem.status >= 500)
      log().error('the tool failed', {
        requestId: request.facts.requestId,
        tool: tool.name,
        error: (problem.cause ?? error) as Error,
      });
    return resultOf(shown(problem, tool), true);
  }
}

/** Returns the names in `fields`, if the tool takes them. */
const fieldsIn = ({ takes }: Tool, { fields }: Arguments): string[] =>
  takes['fields']?.isOwn && typeof fields === 'string' ? fields.split(',').flatMap((name) => name.trim() || []) : [];

/** Returns the fields of the answers of a tool's operations, or of the rows of their lists. */
function responseFields(tool: Tool, args: Arguments): string[] {
  const { uses } = tool;
  const endpoints = isChoice(uses) ? (uses.values[String(args[uses.by])] ?? []) : uses;
  return endpoints.flatMap(({ route }) => {
    const entries = entriesOf(route.response);
    const row = entriesOf((entries['items'] as { item?: v.GenericSchema } | undefined)?.item);
    return Object.keys(withValuesAs(nameOfValues(tool), entries['items'] ? row : entries));
  });
}

/** Arguments that are no filters. */
const asides = ['after', 'limit', 'fields'];

/** A search that understood none of its filters would give everything. Raises 400. */
function requireFilter({ takes, uses }: Tool, args: Arguments, ignored: ReadonlySet<string>): void {
  const by = isChoice(uses) ? [uses.by] : [];
  const filters = Object.keys(args).filter((name) => ![...asides, ...by].includes(name));
  if (!takes['filters'] || filters.length === 0 || !filters.every((name) => ignored.has(name))) return;
  throw invalidFields(
    boundNames(filters).map((name) => ({
      field: name,
      code: 'not_allowed',
      message: `${name} is no filter of this tool`,
    })),
  );
}

/** The arguments with those of `filters` among them. Raises 400. */
function opened({ takes }: Tool, args: Arguments): Arguments {
  if (!takes['filters']) return args;
  const { filters, ...others } = args;
  if (filters === undefined || filters === null) return others;
  if (!isObject(filters)) throw invalidField('filters', 'invalid_type', 'filters must be an object');
  return { ...filters, ...others };
}

/**
 * The arguments, those that the tool itself reads as their schemas read them; the operations read the others. Null says nothing
 * where it clears nothing. Raises 400.
 */
function withOwn({ takes }: Tool, args: Arguments): Arguments {
  const schemas = Object.fromEntries(
    Object.entries(takes).flatMap(([name, { isOwn, schema }]) => (isOwn ? [[name, v.optional(schema)]] : [])),
  );
  const stated = Object.fromEntries(
    Object.entries(args).filter(([name, value]) => {
      const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
      return value !== null || schema === undefined || v.is(schema, null);
    }),
  );
  return { ...stated, ...parseFields(v.object(schemas), stated) };
}

/** The envelope, its fields under the names that the tool has for them. */
function shown({ body }: Problem, { renamed }: Tool) {
  const fields = body.details?.fields;
  if (!renamed || !fields) return body;
  const rename = (text: string) =>
    text.replace(/^\w+/, (name) => (Object.hasOwn(renamed, name) ? (renamed[name] as string) : name));
  return {
    ...body,
    message: rename(body.message),
    details: { fields: fields.map((of) => ({ ...of, field: rename(of.field), message: rename(of.message) })) },
  };
}

const isOwn = ({ uses, takes }: Tool, name: string) =>
  (isChoice(uses) && uses.by === name) || (Object.hasOwn(takes, name) && takes[name]?.isOwn);

/** The arguments with what the tool shall do. Raises 400. */
function chosen(tool: Tool, args: Arguments, scopes: readonly Scope[]): Arguments {
  if (!isChoice(tool.uses)) return args;
  const { by, usual } = tool.uses;
  const values = allowedValues(tool, scopes) as string[];
  const value = args[by] ?? usual;
  if (value === undefined) throw invalidField(by, 'required', `${by} is required`);
  if (!values.includes(value as string))
    throw invalidField(by, 'invalid_enum', `${by} must be one of ${values.join(', ')}`);
  return { ...args, [by]: value };
}
