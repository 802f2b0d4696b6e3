import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CallExpression, type NewExpression, parseSync, Visitor } from 'oxc-parser';
import { check } from 'recheck';

const root = join(import.meta.dirname, '..');

/** A regular expression whose time grows faster than the text it reads, or one that nobody can tell it of. */
export interface SuperLinear {
  file: string;
  line: number;
  expression: string;
  /** What it costs, and the text that makes it so. */
  why: string;
}

/**
 * The regular expressions of a source that somebody outside can make slow. Those that a program builds while it runs cannot be
 * read from its source: they are refused where requests are served.
 */
export async function superLinear(file: string, source: string): Promise<SuperLinear[]> {
  const found: SuperLinear[] = [];
  for (const { start, pattern, flags, expression } of expressionsOf(file, source)) {
    const why =
      pattern === undefined ? 'is built at run time, so nobody can tell its cost' : await costOf(pattern, flags);
    if (why === undefined) continue;
    const line = source.slice(0, start).split('\n').length;
    found.push({ file, line, expression, why });
  }
  return found;
}

interface Expression {
  start: number;
  pattern: string | undefined;
  flags: string;
  /** As it is written, or `/…/` of one that is built at run time. */
  expression: string;
}

/** Every regular expression of a source, slow or not. */
export function expressionsOf(file: string, source: string): Expression[] {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const found: Expression[] = [];
  const built = ({ callee, start }: NewExpression | CallExpression) => {
    if (callee.type === 'Identifier' && callee.name === 'RegExp' && !file.startsWith('infra/'))
      found.push({ start, pattern: undefined, flags: '', expression: '/…/' });
  };
  new Visitor({
    Literal: (node) => {
      if (!('regex' in node)) return;
      const { pattern, flags } = node.regex;
      found.push({ start: node.start, pattern, flags, expression: `/${pattern}/${flags}` });
    },
    NewExpression: built,
    CallExpression: built,
  }).visit(program);
  return found;
}

/** One answer for all places of an expression: finding it takes up to two seconds. */
const costs = new Map<string, Promise<string | undefined>>();

function costOf(pattern: string, flags: string): Promise<string | undefined> {
  const key = `/${pattern}/${flags}`;
  const known = costs.get(key) ?? judge(pattern, flags);
  costs.set(key, known);
  return known;
}

/** An analysis that does not end on a busy machine says nothing about the expression, so it gets time enough; where it tries texts at random, they are the same every time. */
const judging = { timeout: 60_000, randomSeed: 1 };

async function judge(pattern: string, flags: string): Promise<string | undefined> {
  const found = await check(pattern, flags, judging);
  if (found.status === 'safe') return undefined;
  if (found.status === 'unknown') return `cannot be judged: ${found.error.kind}`;
  return `${found.complexity.summary} in the length of a text such as ${found.attack.pattern}`;
}

/** Expressions that may stand, and why: all others are to be linear. */
const known: Record<string, string> = {
  'lib/core/mail-subject.ts /…/': 'of constants, at the beginning of a text, all repetitions limited',
  'lib/core/text.ts /…/': 'of constants, one class of characters',
  'lib/email/automatic.ts /…/': 'of constants, at the beginning of a text, all repetitions limited',
  [String.raw`lib/email/automatic.ts /^(?:auto:\s?)?\S[^:]{0,80}\s(?:is|will be|am) (?:currently )?(?:out of (?:the )?office|on (?:vacation|holiday|leave)|away from the office)(?:[.!]?$|\s?\([^?]*\)$|(?:,|\s(?:from|until|till|through|starting|and will))\s(?!.*\s[-–—/]\s)[^?:]*$)/iu`]:
    'the rest of a text is read from its first 80 characters alone',
  'lib/email/quotes.ts /…/': 'of constants, for lines that are limited',
  [String.raw`lib/email/quotes.ts /^\s*[-_=]{2,}\s?\p{L}[^\n]{2,60}[-_=]{2,}\s*$/u`]: 'for lines that are limited',
};

if (import.meta.main) {
  const files = globSync('{lib,functions,infra}/**/*.ts', { cwd: root }).sort();
  const refused: SuperLinear[] = [];
  const standing = new Set<string>();
  for (const file of files) {
    const source = readFileSync(join(root, file), 'utf8');
    for (const { expression } of expressionsOf(file, source)) standing.add(`${file} ${expression}`);
    refused.push(...(await superLinear(file, source)).filter(({ expression }) => !known[`${file} ${expression}`]));
  }
  for (const { file, line, expression, why } of refused)
    process.stderr.write(`${file}:${line} ${expression}\n  ${why}\n`);
  const gone = Object.keys(known).filter((expression) => !standing.has(expression));
  for (const expression of gone) process.stderr.write(`${expression}\n  is known and stands nowhere\n`);
  process.exit(refused.length + gone.length > 0 ? 1 : 0);
}
