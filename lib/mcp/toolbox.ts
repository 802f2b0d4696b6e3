import type { IdentifiedRequest } from '#lib/http/endpoint.ts';
import { namesShown } from '#lib/http/names-shown.ts';
import { problemOf } from '#lib/http/steps/refuse.ts';
import { log } from '#lib/log.ts';
import { invalidField, type Problem } from '#lib/problem.ts';
import type { Scope } from '#lib/scopes.ts';
import { asking } from './ask.ts';
import { opened } from './common.ts';
import type { Toolbox } from './converse.ts';
import { definitionOf } from './definition.ts';
import { resultOf, type ToolResult, withFields } from './result.ts';
import { type Arguments, allowedValues, endpointsOf, isAllowed, isChoice, type Tool } from './tool.ts';

/** The tools that a caller's scopes allow. */
export const toolboxOf = (tools: readonly Tool[], request: Pick<IdentifiedRequest, 'caller' | 'facts'>): Toolbox => {
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

async function run(
  tool: Tool,
  args: Arguments,
  request: Pick<IdentifiedRequest, 'caller' | 'facts'>,
): Promise<ToolResult> {
  const { ask, update, taken, ignored } = asking(request, endpointsOf(tool));
  try {
    requireChoice(tool, args, request.caller.scopes);
    const value = (await tool.run(ask, args, update)) as object;
    const untaken = Object.keys(opened(args)).filter((name) => !taken.has(name) && !isOwn(tool, name));
    const ignoredArguments = [...new Set([...ignored, ...namesShown(untaken)])];
    return resultOf({
      ...withFields(Array.isArray(value) ? { items: value } : value, args['fields']),
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
    return resultOf(told(problem, tool), true);
  }
}

/** The envelope, its fields under the names that the tool has for them. */
function told({ body }: Problem, { renamed }: Tool) {
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

function requireChoice(tool: Tool, args: Arguments, scopes: readonly Scope[]): void {
  if (!isChoice(tool.uses)) return;
  const { by } = tool.uses;
  const values = allowedValues(tool, scopes) as string[];
  if (args[by] === undefined) throw invalidField(by, 'required', `${by} is required`);
  if (!values.includes(args[by] as string))
    throw invalidField(by, 'invalid_enum', `${by} must be one of ${values.join(', ')}`);
}
