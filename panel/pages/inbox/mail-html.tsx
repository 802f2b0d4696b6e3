import { type ComponentChild, createElement, Fragment, render } from 'preact';
import { useState } from 'preact/hooks';
import { t } from '../../app/texts.ts';

/** What of a mail's HTML is shown as it was meant. */
const kept = new Set(
  'p br b strong i em u s ul ol li blockquote pre code table thead tbody tfoot tr td th div span hr'.split(' '),
);
/** Here a heading would look like one of the page. */
const headings = new Set('h1 h2 h3 h4 h5 h6'.split(' '));
const dropped = new Set('head title style script template noscript iframe object embed svg math form'.split(' '));

/** Has no width. A style that is not called so is none that the page's policy would have to refuse. */
const mark = '\u200b';

/**
 * A mail's HTML, read by the browser as a document that nothing runs in, and built anew of plain elements without any of its
 * attributes but the addresses of links, in a frame of its own in which no script may run. Images and styles stay away: they would
 * tell the sender who reads when.
 */
export function MailHtml({ html }: { html: string }) {
  const [heightPx, setHeightPx] = useState(0);
  const fill = (page: Document) => {
    const { body } = new DOMParser().parseFromString(html.replaceAll(/style(?=\s*=)/gi, `$&${mark}`), 'text/html');
    render([...body.childNodes].map(shown), page.body);
    new ResizeObserver(() => setHeightPx(Math.ceil(page.body.getBoundingClientRect().height))).observe(page.body);
  };
  return (
    <iframe
      class="mail-frame"
      title={t.inbox.theMailAsItWas}
      sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox"
      srcdoc={emptyPage()}
      height={heightPx}
      onLoad={({ currentTarget }) => currentTarget.contentDocument && fill(currentTarget.contentDocument)}
    />
  );
}

/** With the styles of the page around it. */
const emptyPage = () =>
  `<!doctype html><html lang="en"><title>Mail</title>${document.querySelector('link[rel=stylesheet]')?.outerHTML}<body class="mail"></body></html>`;

function shown(node: Node): ComponentChild {
  if (node instanceof Text) return node.data.replaceAll(mark, '');
  if (!(node instanceof Element) || dropped.has(node.localName)) return null;
  const name = node.localName;
  if (name === 'br' || name === 'hr') return createElement(name, null);
  const inside = [...node.childNodes].map(shown);
  if (name === 'a') return <Link url={(node.getAttribute('href') ?? '').replaceAll(mark, '')}>{inside}</Link>;
  if (headings.has(name)) return createElement('p', null, createElement('strong', null, inside));
  return createElement(kept.has(name) ? name : Fragment, null, inside);
}

const followed = ['http:', 'https:', 'mailto:'];

const Link = ({ url, children }: { url: string; children: ComponentChild[] }) =>
  URL.canParse(url) && followed.includes(new URL(url).protocol) ? (
    <a href={url} title={url} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  ) : (
    <span>{children}</span>
  );
