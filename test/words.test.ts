import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const bannedBeginning = /^(What|Whatever|Who|Whoever|Whom|Of|Those|That|So many)\b/i;
const maxTitleCharacters = 100;

interface Finding {
  file: string;
  text: string;
}

const read = (file: string) => {
  const { comments, program } = parseSync(file, readFileSync(join(root, file), 'utf8'));
  return { file, comments, program };
};

const docstringsOf = ({ file, comments }: ReturnType<typeof read>): Finding[] =>
  comments
    .filter(({ type, value }) => type === 'Block' && value.startsWith('*'))
    .map(({ value }) => ({ file, text: value.replaceAll(/^\*|\n\s*\*/g, ' ').trim() }));

const callers = new Set(['test', 'it', 'describe']);

/** Returns the titles of the tests and groups of a file, those of `test.each(…)(…)` and `test.runIf(…)(…)` included. */
function titlesOf({ file, program }: ReturnType<typeof read>): Finding[] {
  const titles: Finding[] = [];
  new Visitor({
    CallExpression({ callee, arguments: [title] }) {
      let called: { type: string } = callee;
      while (called.type === 'CallExpression' || called.type === 'MemberExpression')
        called =
          'callee' in called
            ? (called.callee as typeof called)
            : (called as typeof called & { object: typeof called }).object;
      if (called.type !== 'Identifier' || !callers.has((called as typeof called & { name: string }).name)) return;
      if (title?.type === 'Literal' && typeof title.value === 'string') titles.push({ file, text: title.value });
      if (title?.type === 'TemplateLiteral')
        titles.push({ file, text: title.quasis.map(({ value }) => value.raw).join('…') });
    },
  }).visit(program);
  return titles;
}

/** Functions that make the error of an answer, and which of their arguments is its message. */
const errorMakers: Record<string, number> = { conflict: 1, badRequest: 1, rateLimited: 0, malformed: 0, Problem: 1 };
/** `<what is wrong>: <what to do>`, without a period. */
const messageForm = /^(?:[^A-Z:]|Bedrock |Telegram )(?:[^:]|:(?! ))*: [a-z…](?:(?![.;]( |$)).)*$/;
const maxMessageCharacters = 160;

interface Expression {
  type: string;
  value?: unknown;
  name?: string;
  quasis?: { value: { raw: string } }[];
  consequent?: Expression;
  alternate?: Expression;
}

/** Returns the texts that an expression can be: of a choice both, of a name what the file declares by it. */
function textsOf(expression: Expression | undefined, named: ReadonlyMap<string, Expression>): string[] {
  const { type, value, name, quasis, consequent, alternate } = expression ?? { type: 'none' };
  if (type === 'Literal' && typeof value === 'string') return [value];
  if (quasis) return [quasis.map(({ value: { raw } }) => raw).join('…')];
  if (type === 'ConditionalExpression') return [consequent, alternate].flatMap((one) => textsOf(one, named));
  return name !== undefined && named.has(name) ? textsOf(named.get(name), new Map()) : [];
}

/** Returns the messages of the errors that a file makes for callers. */
function messagesOf({ file, program }: ReturnType<typeof read>): Finding[] {
  const named = new Map<string, Expression>();
  const given: Expression[] = [];
  const take = (callee: { type: string; name?: string }, args: readonly unknown[]) => {
    const place = callee.type === 'Identifier' ? errorMakers[callee.name ?? ''] : undefined;
    const [code] = args as Expression[];
    // A 404 says all there is to say.
    if (place !== undefined && code?.value !== 'not_found') given.push(args[place] as Expression);
  };
  new Visitor({
    VariableDeclarator: ({ id, init }) =>
      void (id.type === 'Identifier' && init && named.set(id.name, init as Expression)),
    CallExpression: ({ callee, arguments: args }) => take(callee as never, args),
    NewExpression: ({ callee, arguments: args }) => take(callee as never, args),
  }).visit(program);
  return given.flatMap((expression) => textsOf(expression, named)).map((text) => ({ file, text }));
}

const sources = globSync('{lib,functions,infra}/**/*.ts', { cwd: root });
const tests = globSync('test/**/*.test.ts', { cwd: root }).filter((file) => !file.includes('openapi/clients'));

const badDocstrings = sources
  .flatMap((file) => docstringsOf(read(file)))
  .filter(({ text }) => bannedBeginning.test(text));
const badTitles = tests
  .flatMap((file) => titlesOf(read(file)))
  .filter(({ text }) => text.length > maxTitleCharacters || text.includes(';') || bannedBeginning.test(text));

test.each([
  ['docstrings', badDocstrings],
  ['test titles', badTitles],
])('the %s begin with a subject or a verb, and fit their limit', (_, findings) => expect(findings).toEqual([]));

const messages = globSync('{lib,functions}/**/*.ts', { cwd: root }).flatMap((file) => messagesOf(read(file)));

test('the messages of errors say what is wrong, and after a colon what to do', () => {
  expect(messages.length).toBeGreaterThan(60);
  expect(messages.filter(({ text }) => text.length > maxMessageCharacters || !messageForm.test(text))).toEqual([]);
});
