import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Node, parseSync, Visitor } from 'oxc-parser';
import { expect, test } from 'vitest';
import { texts as de } from '#panel/texts/de.ts';
import { developers as developersDe } from '#panel/texts/developers.de.ts';
import { developers as developersEn } from '#panel/texts/developers.en.ts';
import { texts as en } from '#panel/texts/en.ts';
import { filters as filtersDe } from '#panel/texts/filters.de.ts';
import { filters as filtersEn } from '#panel/texts/filters.en.ts';
import { palette as paletteDe } from '#panel/texts/palette.de.ts';
import { palette as paletteEn } from '#panel/texts/palette.en.ts';
import { settings as settingsDe } from '#panel/texts/settings.de.ts';
import { settings as settingsEn } from '#panel/texts/settings.en.ts';
import { sheets as sheetsDe } from '#panel/texts/sheets.de.ts';
import { sheets as sheetsEn } from '#panel/texts/sheets.en.ts';

const root = join(import.meta.dirname, '../../panel');
const sources = globSync('{app,pages,parts,shell}/**/*.{ts,tsx}', { cwd: root }).sort();

/** What people read: attributes and properties of these names. */
const readNames = new Set('label title placeholder hint submit action caption aria-label all legend alt'.split(' '));
/** Names of products, examples of code, and selectors: the same in every language. */
const untranslated = new Set([
  'CRM',
  '@BotFather',
  'MCP',
  'VS Code',
  'stage, assigned_to_user_id',
  'https://example.com/webhooks',
  'example.com',
  'Bearer csk_',
]);
const isText = (text: string) => /\p{L}{2,}/u.test(text) && !untranslated.has(text.trim());
/** A sentence or a label: several words, or one with a capital letter and small ones. */
const isProse = (text: string) => isText(text) && /^\p{Lu}\p{Ll}+( \p{L}+)+[.?!…:]?$|\p{Ll} \p{Ll}+ \p{Ll}/u.test(text);
/** Several words that begin with a capital letter, wherever they are. */
const isSentence = (text: string) => isText(text) && /^\p{Lu}\p{Ll}+ \p{L}+/u.test(text);

function textsOutsideTheCatalog(path: string): string[] {
  const source = readFileSync(join(root, path), 'utf8');
  const { program } = parseSync(path, source);
  const found: string[] = [];
  const report = ({ start }: Node, text: string) =>
    found.push(`${path}:${source.slice(0, start).split('\n').length} ${text.trim().slice(0, 60)}`);
  new Visitor({
    JSXElement(element) {
      const { name } = element.openingElement;
      const isCode = name.type === 'JSXIdentifier' && /^(code|kbd|pre)$/.test(name.name);
      for (const child of element.children)
        if (!isCode && child.type === 'JSXText' && isText(child.value.replaceAll(/&\w+;/g, '')))
          report(child, child.value);
    },
    JSXAttribute({ name, value }) {
      if (value?.type === 'Literal' && readNames.has(String(name.name)) && isText(String(value.value)))
        report(value, String(value.value));
    },
    Literal(literal) {
      if (typeof literal.value === 'string' && isSentence(literal.value)) report(literal, literal.value);
    },
    TemplateElement(element) {
      if (/[“”„]/.test(element.value.raw) || isSentence(element.value.raw)) report(element, element.value.raw);
    },
    CallExpression({ callee, arguments: [first] }) {
      if (callee.type === 'Identifier' && /^(say|Error)$/.test(callee.name) && first?.type === 'Literal')
        report(first, String(first.value));
    },
    Property({ key, value }) {
      const name = key.type === 'Identifier' ? key.name : '';
      if ((readNames.has(name) || name === 'said') && value.type === 'Literal' && isText(String(value.value)))
        report(value, String(value.value));
    },
    ConditionalExpression({ consequent, alternate }) {
      for (const branch of [consequent, alternate])
        if (branch.type === 'Literal' && typeof branch.value === 'string' && isProse(branch.value))
          report(branch, branch.value);
    },
  }).visit(program);
  return found;
}

test('every text of the panel comes from the catalog', () => {
  expect(sources.length).toBeGreaterThan(80);
  expect(sources.flatMap(textsOutsideTheCatalog)).toEqual([]);
});

/** Texts that are read when a module loads stay in the language of that moment. */
function textsReadTooEarly(path: string): string[] {
  const source = readFileSync(join(root, path), 'utf8');
  const found: string[] = [];
  let depth = 0;
  const enter = () => {
    depth += 1;
  };
  const leave = () => {
    depth -= 1;
  };
  new Visitor({
    FunctionDeclaration: enter,
    'FunctionDeclaration:exit': leave,
    FunctionExpression: enter,
    'FunctionExpression:exit': leave,
    ArrowFunctionExpression: enter,
    'ArrowFunctionExpression:exit': leave,
    MemberExpression({ object, start }) {
      if (depth === 0 && object.type === 'Identifier' && object.name === 't')
        found.push(`${path}:${source.slice(0, start).split('\n').length}`);
    },
  }).visit(parseSync(path, source).program);
  return found;
}

test('no module reads a text while it loads', () => {
  expect(sources.flatMap(textsReadTooEarly)).toEqual([]);
});

type Leaf = string | ((...given: string[]) => string);

/** Every text of a catalog by its path; of a function, what it makes of numbered values. */
function leaves(of: object, path = ''): Map<string, string> {
  return new Map(
    Object.entries(of).flatMap(([key, value]: [string, Leaf | object]) => {
      const here = path === '' ? key : `${path}.${key}`;
      if (typeof value === 'string') return [[here, value] as const];
      if (typeof value === 'function')
        return [[here, (value as (...given: string[]) => string)('{0}', '{1}', '{2}')] as const];
      return [...leaves(value, here)];
    }),
  );
}

const english = leaves({
  ...en,
  developers: developersEn,
  filters: filtersEn,
  palette: paletteEn,
  settings: settingsEn,
  sheets: sheetsEn,
});
const german = leaves({
  ...de,
  developers: developersDe,
  filters: filtersDe,
  palette: paletteDe,
  settings: settingsDe,
  sheets: sheetsDe,
});

/** Words that are the same in both languages, and names. */
const alike = new Set(
  (
    'Admin Agent API Bot-Token Cc Claude Code Claude Desktop Code Cursor Deal Deals Details Domain Domains E-mail E-Mail Filter Lead Live Mail ' +
    'Name Panel Platform Push Route Sandbox Status Tag Tags Text Trend URL Webhook Webhooks Board Pipeline Pipelines'
  ).split(' '),
);
const isAlike = (text: string) =>
  text.split(/[\s·]+/).every((word) => alike.has(word) || !isText(word.replaceAll(/[{}\d]/g, '')));
const alikeByPath = new Set(['contacts.name', 'developers.ms', 'developers.msDurationMs']);

test('German has a text of its own for every English one', () => {
  expect([...german.keys()].sort()).toEqual([...english.keys()].sort());
  const same = [...german].filter(
    ([path, text]) => english.get(path) === text && !isAlike(text) && !alikeByPath.has(path),
  );
  expect(same).toEqual([]);
});

test('German texts take the same values as English ones', () => {
  const placesOf = (text = '') => [...text.matchAll(/\{\w+\}/g)].map(String).sort();
  const differing = [...german].filter(
    ([path, text]) => String(placesOf(text)) !== String(placesOf(english.get(path))),
  );
  expect(differing).toEqual([]);
});
