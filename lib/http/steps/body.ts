import { isUtf8 } from 'node:buffer';
import { badRequest, type Problem } from '#lib/problem.ts';
import type { Route } from '../route.ts';
import { type Event, type Progress, progressOf, type RequestStep } from './progress.ts';

const maxBodyBytes = 1024 * 1024;
/** Far more than any body has, and far less than code that reads a body by recursion has room for. */
const maxBodyLevels = 500;

/** Decodes the JSON body; what is wrong with it is answered later, after a missing resource (contract 0.5). */
export const readingBody = (route: Route): RequestStep => ({
  before: async ({ event, context }) => {
    const progress = progressOf(context);
    if (route.body && event.body) Object.assign(progress, decodedBody(event, progress));
  },
});

/** The body of a request, or what is wrong with it. */
export function decodedBody(
  { body = '', isBase64Encoded }: Event,
  { headers }: Pick<Progress, 'headers'>,
): { body: unknown } | { bodyProblem: Problem } {
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
  const problem = refusalOf(bytes, headers['content-type']);
  return problem ? { bodyProblem: problem } : parsed(bytes);
}

function refusalOf(bytes: Buffer, contentType: string | undefined): Problem | undefined {
  if (bytes.length > maxBodyBytes) return badRequest('body_too_large', 'the body is larger than 1 MiB');
  if (!/^application\/json\s*(;|$)/i.test(contentType?.trim() ?? ''))
    return badRequest('unsupported_content_type', 'send the body with Content-Type: application/json');
  return undefined;
}

function parsed(bytes: Buffer): { body: unknown } | { bodyProblem: Problem } {
  const text = bytes.toString();
  try {
    if (!isUtf8(bytes)) throw new SyntaxError('not UTF-8');
    // Not Middy's parser: it refuses keys like `__proto__`, which are valid JSON (contract, revision 1.3), by a reviver that takes ten
    // times as long. Nothing here is merged by name.
    const body: unknown = JSON.parse(text);
    if (isDeeperThan(maxBodyLevels, body)) {
      const message = `the body is nested deeper than ${maxBodyLevels} levels`;
      return { bodyProblem: badRequest('malformed_json', message) };
    }
    if (/\\ud[89a-f]/i.test(text) && !isWellFormed(body)) throw new SyntaxError('half a character');
    return { body };
  } catch {
    return { bodyProblem: badRequest('malformed_json', 'the body is not valid JSON') };
  }
}

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Goes through a value level by level, because one that is too deep for the stack is what it looks for. */
function isDeeperThan(levels: number, value: unknown): boolean {
  let level = [value].filter(isNested);
  for (let passed = 0; level.length > 0; passed += 1) {
    if (passed === levels) return true;
    level = level.flatMap((one) => Object.values(one).filter(isNested));
  }
  return false;
}

/** JSON can escape what neither UTF-8 nor the table can hold. */
function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (!isNested(value)) return true;
  return Object.entries(value).every(([name, inner]) => name.isWellFormed() && isWellFormed(inner));
}
