import sanitizeHtml from 'sanitize-html';

const plain = /^[\w\s#%.,()'"-]*$/;
const harmlessStyles = [
  ...['color', 'background-color', 'text-align', 'text-decoration', 'vertical-align', 'line-height', 'width', 'height'],
  ...['font-family', 'font-size', 'font-style', 'font-weight', 'margin', 'padding', 'border', 'border-collapse'],
];

/** Mail HTML that is safe to show: no scripts, forms, frames, style sheets or event handlers. */
export const sanitise = (html: string): string =>
  sanitizeHtml(html, {
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
    allowedSchemes: ['http', 'https', 'mailto', 'tel'],
    allowedSchemesByTag: { img: ['http', 'https', 'cid'] },
    allowProtocolRelative: false,
    allowedStyles: { '*': Object.fromEntries(harmlessStyles.map((name) => [name, [plain]])) },
    transformTags: { a: sanitizeHtml.simpleTransform('a', { rel: 'noopener noreferrer', target: '_blank' }) },
  }).trim();

const entities: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' };

/** The text of mail that has no plain part. */
export const textOf = (html: string): string =>
  sanitizeHtml(html.replaceAll(/<(br|\/p|\/div|\/tr|\/li|\/h\d)\b[^>]*>/gi, '$&\n'), {
    allowedTags: [],
    allowedAttributes: {},
  })
    .replaceAll(/&(amp|lt|gt|quot);/g, (entity) => entities[entity] as string)
    .replaceAll(/[ \t\u00a0]+/g, ' ')
    .replaceAll(/ ?\n ?/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
