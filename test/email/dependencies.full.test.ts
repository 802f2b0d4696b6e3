import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { expressionsOf, superLinear } from '#test/regular-expressions.ts';

const root = join(import.meta.dirname, '../..');

/** The super-linear expressions of the packages that read and write mails (`/…/` is built at run time), by what keeps a stranger's long text from them. */
const guarded = {
  'lib/email/mime.ts leaves no run of line breaks in a head': ['@zone-eu/mailsplit/lib/headers.js /[\\r\\n]+$/'],
  'lib/email/quoted-printable.ts decodes in its place': ['libqp/lib/libqp.js /[\\t ]+$/gm'],
  'the line is trimmed before': ['libmime/lib/libmime.js /^\\s*([^:]+):(.*)$/'],
  'a name of a charset ends at a comma': ['encoding-japanese/src/index.js /\\s*,\\s*/'],
  'it encodes, or folds, lines of 76 characters': [
    'iconv-lite/encodings/utf7.js /=+$/',
    'libbase64/lib/libbase64.js /…/',
    'libmime/lib/libmime.js /([\\u0080-\\uFFFF][^\\s]*)[^\\u0080-\\uFFFF]*$/',
    'libmime/lib/libmime.js /(\\s+)[^\\s]*$/',
    'libmime/lib/libmime.js /…/',
    'nodemailer/dist/esm/base64/index.js /…/',
    'nodemailer/dist/esm/mime-funcs/index.js /(\\s+)[^\\s]*$/',
    'nodemailer/dist/esm/mime-funcs/index.js /…/',
  ],
  'its parts cannot stand for each other': [
    'nodemailer/dist/esm/mime-node/index.js /…/',
    'postal-mime/dist/esm/decode-strings.js /…/',
  ],
  'postal-mime gets a head, and no text': [
    'postal-mime/dist/esm/text-format.js /(\\s+)[^\\s]*$/',
    'postal-mime/dist/esm/text-format.js /<[^>]*>/g',
    'postal-mime/dist/esm/text-format.js /<\\/?(p|div|table|tr|td|th)\\b[^>]*>/gi',
    'postal-mime/dist/esm/text-format.js /<\\/?(span|em|i|strong|b|u|a)\\b[^>]*>/gi',
    'postal-mime/dist/esm/text-format.js /<a\\b[^>]*href\\s*=\\s*["\']?([^\\s"\']+)[^>]*>/iy',
    'postal-mime/dist/esm/text-format.js /<br\\b[^>]*>/gi',
    'postal-mime/dist/esm/text-format.js /<hr\\b[^>]*>/g',
    'postal-mime/dist/esm/text-format.js /\\n+$/',
  ],
  'lib/email/html.ts keeps no srcset': ['parse-srcset/src/parse-srcset.js /[,]+$/'],
  'it is made of the options in lib/email/html.ts, or of the name of one element': ['sanitize-html/index.js /…/'],
  'a comment of blanks alone is taken before': ['postcss/lib/parser.js /^(\\s*)([^]*\\S)(\\s*)$/'],
  'styles are read, never written, and without source maps': [
    'postcss/lib/stringifier.js /[^\\n]+$/',
    'source-map-js/lib/util.js /\\/+$/',
    'source-map-js/lib/util.js /^(?:([\\w+\\-.]+):)?\\/\\/(?:(\\w+:\\w+)@)?([\\w.-]*)(?::(\\d+))?(.*)$/',
    'source-map-js/lib/util.js /^data:.+\\,.+$/',
  ],
  'no date is written': [
    'dayjs/dayjs.min.js /\\[([^\\]]+)]|YYYY|YY|M{1,4}|D{1,2}|d{1,4}|H{1,2}|h{1,2}|a|A|m{1,2}|s{1,2}|Z{1,2}|SSS/g',
  ],
};

test('every slow regular expression in a package that handles mail is known and out of a stranger’s reach', async () => {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['lib/email/mail.ts', 'lib/email/send.ts'],
    external: ['@aws-sdk/*', '@smithy/*', 'valibot'],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    outdir: 'unused',
  });
  const files = Object.keys(metafile.inputs).filter((file) => /^node_modules\/.*js$/.test(file));
  expect(files.length).toBeGreaterThan(50);
  const known = Object.values(guarded).flat();
  const found: string[] = [];
  const standing = new Set<string>();
  for (const file of files) {
    const source = readFileSync(join(root, file), 'utf8');
    const named = ({ expression }: { expression: string }) => `${file.slice('node_modules/'.length)} ${expression}`;
    found.push(...(await superLinear(file, source)).map(named));
    for (const expression of expressionsOf(file, source)) standing.add(named(expression));
  }
  expect(found.length).toBeGreaterThan(20);
  expect([...new Set(found)].filter((expression) => !known.includes(expression))).toEqual([]);
  // Whether one at the border counts as slow depends on the machine, so a known one has to stand in its package, not to be found slow.
  expect(known.filter((expression) => !standing.has(expression))).toEqual([]);
});
