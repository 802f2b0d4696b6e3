import sanitizeHtml from 'sanitize-html';
import { isHidden, shownText, unshown } from './html-text.ts';

const plain = /^[\w\s#%.,()'"-]*$/;
const harmlessStyles = [
  ...['color', 'background-color', 'text-align', 'text-decoration', 'vertical-align', 'line-height', 'width', 'height'],
  ...['font-family', 'font-size', 'font-style', 'font-weight', 'margin', 'padding', 'border', 'border-collapse'],
];

/** The parser takes the longer for a tag the more of them are open. */
const maxDepth = 1000;

/** Returns the sanitized HTML, or undefined if it is nested too deep. */
function filtered(html: string, options: sanitizeHtml.IOptions): string | undefined {
  const tooDeep = new RangeError('nested too deep');
  let depth = 0;
  const onOpenTag = () => {
    depth += 1;
    if (depth > maxDepth) throw tooDeep;
  };
  const onCloseTag = () => {
    depth -= 1;
  };
  try {
    return sanitizeHtml(html, { ...options, onOpenTag, onCloseTag });
  } catch (error) {
    if (error === tooDeep) return undefined;
    throw error;
  }
}

const withoutTags = (html: string) => html.replaceAll(/<[^<>]*>/g, '');

/** Mail HTML that is safe to show: no scripts, forms, frames, style sheets or event handlers. Nested too deep it is its text alone. */
export const sanitise = (html: string): string =>
  (
    filtered(html, {
      allowedTags: [...sanitizeHtml.defaults.allowedTags, 'img', 'font', 'center'],
      allowedAttributes: {
        '*': [
          'align',
          'bgcolor',
          'border',
          'cellpadding',
          'cellspacing',
          'dir',
          'height',
          'lang',
          'style',
          'title',
          'valign',
          'width',
        ],
        a: ['href', 'name', 'rel', 'target'],
        img: ['src', 'alt'],
        font: ['color', 'face', 'size'],
        td: ['colspan', 'rowspan'],
        th: ['colspan', 'rowspan'],
      },
      nonTextTags: unshown,
      exclusiveFilter: ({ attribs }) => isHidden(attribs),
      allowedSchemes: ['http', 'https', 'mailto', 'tel'],
      allowedSchemesByTag: { img: ['http', 'https', 'cid'] },
      allowProtocolRelative: false,
      allowedStyles: { '*': Object.fromEntries(harmlessStyles.map((name) => [name, [plain]])) },
      transformTags: { a: sanitizeHtml.simpleTransform('a', { rel: 'noopener noreferrer', target: '_blank' }) },
    }) ?? withoutTags(html).replaceAll(/[<>]/g, (sign) => escapeHtml(sign))
  ).trim();

const characterNames: Record<string, string> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot' };
const entities = Object.fromEntries(
  Object.entries(characterNames).map(([character, name]) => [`&${name};`, character]),
);

/** Text as it is written in HTML. */
export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (character) => `&${characterNames[character]};`);

/** The text of mail HTML. */
export const textOf = (html: string, options?: { isUnquoted?: boolean }): string =>
  shownText(html, options) ??
  withoutTags(html)
    .replaceAll(/&(amp|lt|gt|quot);/g, (entity) => entities[entity] as string)
    .trim();
