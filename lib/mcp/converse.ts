import { now } from '#lib/core/clock.ts';
import type { Problem } from '#lib/core/problem.ts';
import { apiRevision } from '#lib/core/revision.ts';
import { firstCharacters } from '#lib/core/text.ts';
import type { IdentifiedRequest } from '#lib/http/endpoint.ts';
import type { Reply } from '#lib/http/idempotency.ts';
import { checkMirrors, eraOf, type Header, legacyVersions, serverInfoKey, supportedVersions } from './era.ts';
import {
  type Answer,
  accepted,
  failure,
  idOf,
  isNothing,
  isObject,
  type Message,
  objectIn,
  Refusal,
  readMessage,
  success,
} from './message.ts';
import type { ToolResult } from './result.ts';
import { untrustedNotice } from './untrusted.ts';

/** Tools behind the protocol. */
export interface Toolbox {
  /** The definitions of those that the caller may use, always in the same order. */
  list(): object[];
  /** Nothing when the caller has no such tool. */
  call(name: string, args: Record<string, unknown>): Promise<ToolResult> | undefined;
}

type Incoming = Pick<IdentifiedRequest, 'headers' | 'body' | 'bodyProblem' | 'count'>;

const serverInfo = { name: 'crm', title: 'CRM', version: apiRevision };
/** Lists never announce a change: that would take a stream, and a stream would hold a function open. */
const capabilities = { tools: { listChanged: false } };
const instructions = [
  'Contacts, deals, tasks, finance, e-mail and outbound messages of one workspace.',
  'Ids are integers, times ISO 8601 in UTC, lists newest first: pass nextCursor as after for the next page and name fields to keep results small.',
  'Sending needs an accountId: workspace_get lists accounts, members and tags. Give sends an idempotencyKey, so that repeating one never sends twice.',
  'A refused call says in details what to change.',
  untrustedNotice,
].join(' ');
const cached = { ttlMs: 300_000, cacheScope: 'private' };
const batchVersion = '2025-03-26';
const maxBatch = 20;
/** Calls of a batch are begun for so long: the last one ends before the function does, and nothing goes on after the answer. */
const batchMs = 12_000;

/** Answers one MCP request over HTTP; both protocol eras, JSON only, nothing is kept between requests. */
export async function converse(incoming: Incoming, tools: Toolbox): Promise<Reply> {
  const { body, bodyProblem } = incoming;
  const header: Header = (name) => incoming.headers[name];
  if (bodyProblem) return render(failure(undefined, unreadable(bodyProblem)));
  if (!Array.isArray(body)) {
    const answer = await answerTo(body, header, tools);
    return answer ? render(answer) : accepted;
  }
  return answerBatch(body, header, incoming, tools);
}

const unreadable = ({ details, message }: Problem) =>
  new Refusal(details?.['reason'] === 'malformed_json' ? 'parse' : 'invalidRequest', message);

const render = ({ status, body }: Answer): Reply => ({ status, body: JSON.stringify(body), headers: {} });

/** Several messages at once, which only version 2025-03-26 has. Every tool call counts against the rate limit. */
async function answerBatch(sent: unknown[], header: Header, { count }: Incoming, tools: Toolbox): Promise<Reply> {
  const version = header('mcp-protocol-version') ?? batchVersion;
  if (sent.length === 0 || sent.length > maxBatch || version !== batchVersion)
    return render(failure(undefined, new Refusal('invalidRequest', 'send one JSON-RPC message per request')));
  const calls = sent.filter((one) => isObject(one) && one['method'] === 'tools/call').length;
  for (let counted = 1; counted < calls; counted += 1) await count();
  const endsAtMs = now() + batchMs;
  const answers: Answer[] = [];
  for (const one of sent) {
    const answer = now() < endsAtMs ? await answerTo(one, header, tools) : notBegun(one);
    if (answer) answers.push(answer);
  }
  const body = JSON.stringify(answers.map((answer) => answer.body));
  return answers.length === 0 ? accepted : { status: 200, body, headers: {} };
}

function notBegun(sent: unknown): Answer | undefined {
  const id = idOf(sent);
  return id === undefined
    ? undefined
    : failure(id, new Refusal('internal', 'not begun, the batch took too long: send it again'));
}

async function answerTo(sent: unknown, header: Header, tools: Toolbox): Promise<Answer | undefined> {
  const id = idOf(sent);
  try {
    const message = readMessage(sent);
    if (!message) return undefined;
    const era = eraOf(message, header);
    if (era === 'modern') checkMirrors(message, header);
    if (id === undefined) return undefined;
    const result = await (era === 'modern' ? modern(message, tools) : legacy(message, tools));
    return success(id, result);
  } catch (error) {
    if (error instanceof Refusal) return failure(id, error);
    throw error;
  }
}

async function modern(message: Message, tools: Toolbox): Promise<object> {
  const result = await modernResult(message, tools);
  return { resultType: 'complete', ...result, _meta: { [serverInfoKey]: serverInfo } };
}

async function modernResult({ method, params }: Message, tools: Toolbox): Promise<object> {
  switch (method) {
    case 'server/discover':
      return { supportedVersions, capabilities, instructions, ...cached };
    case 'tools/list':
      return { ...listed(params, tools), ...cached };
    case 'tools/call':
      return called(params, tools);
    default:
      throw new Refusal('unknownMethod', 'method not found', { status: 404 });
  }
}

async function legacy({ method, params }: Message, tools: Toolbox): Promise<object> {
  switch (method) {
    case 'initialize':
      return { protocolVersion: agreed(params['protocolVersion']), capabilities, serverInfo, instructions };
    case 'ping':
      return {};
    case 'tools/list':
      return listed(params, tools);
    case 'tools/call':
      return called(params, tools);
    default:
      throw new Refusal('unknownMethod', 'method not found', { status: method === 'subscriptions/listen' ? 404 : 200 });
  }
}

const agreed = (wanted: unknown) => legacyVersions.find((version) => version === wanted) ?? legacyVersions[0];

function listed(params: Message['params'], tools: Toolbox) {
  if (!isNothing(params['cursor'])) throw new Refusal('invalidParams', 'the list has one page', { status: 200 });
  return { tools: tools.list() };
}

/** The longest that MCP lets a tool have. */
const maxToolName = 128;

function called({ name, ...params }: Message['params'], tools: Toolbox): Promise<ToolResult> {
  const args = objectIn(params['arguments']);
  if (typeof name !== 'string') throw new Refusal('invalidParams', 'name must be a string', { status: 200 });
  if (args === undefined) throw new Refusal('invalidParams', 'arguments must be an object', { status: 200 });
  const result = tools.call(name, args);
  if (!result)
    throw new Refusal('invalidParams', `unknown tool: ${firstCharacters(name, maxToolName)}`, { status: 200 });
  return result;
}
