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
