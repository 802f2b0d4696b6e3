import type { ComponentChildren } from 'preact';
import { Code } from './code.tsx';
import { linkInto } from './links.ts';

/**
 * The part of Markdown that our texts use: paragraphs, headings, lists, tables, fenced code, and in a line code, bold and links. A link
 * leads to https or into the reference (`#/errors`); every other is its text. All else is text as it stands.
 */
export const Markdown = ({ text }: { text: string }) => <>{blocksOf(text.split('\n')).map(shown)}</>;

type Block =
  | { kind: 'code'; language: string; text: string }
  | { kind: 'heading'; text: string }
  | { kind: 'list'; items: string[] }
  | { kind: 'table'; rows: string[][] }
  | { kind: 'paragraph'; text: string };

function blocksOf(lines: readonly string[]): Block[] {
  const blocks: Block[] = [];
  /** What the next line goes on with; undefined after an empty line. */
  let open: Block | undefined;
  const begin = (block: Block) => {
    blocks.push(block);
    open = block;
  };
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] as string;
    const fence = /^```(\w*)/.exec(line);
    if (fence) {
      const end = lines.indexOf('```', at + 1);
      const last = end === -1 ? lines.length : end;
      blocks.push({ kind: 'code', language: fence[1] as string, text: lines.slice(at + 1, last).join('\n') });
      open = undefined;
      at = last;
    } else if (line.trim() === '') open = undefined;
    else if (/^#+ /.test(line)) {
      begin({ kind: 'heading', text: line.replace(/^#+ /, '') });
      open = undefined;
    } else if (/^[-*] /.test(line)) {
      if (open?.kind !== 'list') begin({ kind: 'list', items: [] });
      (open as Block & { kind: 'list' }).items.push(line.slice(2));
    } else if (line.startsWith('|')) {
      if (open?.kind !== 'table') begin({ kind: 'table', rows: [] });
      const cells = line.split('|').slice(1, -1);
      if (cells.some((cell) => !/^[\s:-]*$/.test(cell))) (open as Block & { kind: 'table' }).rows.push(cells);
    } else if (open?.kind === 'list') open.items.push(`${open.items.pop()} ${line.trim()}`);
    else if (open?.kind === 'paragraph') open.text += ` ${line.trim()}`;
    else begin({ kind: 'paragraph', text: line });
  }
  return blocks;
}

function shown(block: Block, key: number): ComponentChildren {
  if (block.kind === 'code') return <Code key={key} text={block.text} label="the example" />;
  if (block.kind === 'heading') return <h2 key={key}>{inline(block.text)}</h2>;
  if (block.kind === 'paragraph') return <p key={key}>{inline(block.text)}</p>;
  if (block.kind === 'list')
    return (
      <ul key={key}>
        {block.items.map((item) => (
          <li key={item}>{inline(item)}</li>
        ))}
      </ul>
    );
  const [head = [], ...rows] = block.rows;
  return (
    <div key={key} class="scroller">
      <table>
        <thead>
          <tr>
            {head.map((cell) => (
              <th key={cell} scope="col">
                {inline(cell.trim())}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.join('|')}>
              {row.map((cell, column) => (
                <td key={head[column]}>{inline(cell.trim())}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const marked = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^()\s]+)\)/g;

/** The text of a line, with what is marked in it. */
export function inline(text: string): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  let end = 0;
  for (const match of text.matchAll(marked)) {
    const [whole, code, bold, words, target = ''] = match;
    parts.push(text.slice(end, match.index));
    end = match.index + whole.length;
    if (code !== undefined) parts.push(<code>{code}</code>);
    else if (bold !== undefined) parts.push(<strong>{inline(bold)}</strong>);
    else parts.push(linked(words as string, target));
  }
  return [...parts, text.slice(end)];
}

function linked(words: string, target: string): ComponentChildren {
  if (target.startsWith('#/')) return <a href={linkInto(target.slice(1))}>{inline(words)}</a>;
  if (!target.startsWith('https://')) return inline(words);
  return (
    <a href={target} rel="noreferrer">
      {inline(words)}
    </a>
  );
}
