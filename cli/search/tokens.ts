import { UsageError } from '../verb.ts';

/** A word, sign, or quoted text of an expression, and where it stands. */
export interface Token {
  kind: 'word' | 'text' | 'sign' | 'end';
  text: string;
  at: number;
}

/** Longer signs first. */
const signs = ['!=', '<=', '>=', '^=', '=', '<', '>', '~', '(', ')', ','] as const;
const escapes: Record<string, string> = { n: '\n', t: '\t' };

/** Returns the tokens of an expression; the last one is its end. Raises UsageError at a place that is none. */
export function tokensOf(source: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < source.length; ) {
    const rest = source.slice(at);
    const space = /^\s+/.exec(rest)?.[0];
    const sign = signs.find((one) => rest.startsWith(one));
    if (space !== undefined) at += space.length;
    else if (sign !== undefined) at += take('sign', sign, at);
    else if (/^["']/.test(rest)) at += takeText(source, at);
    else if (/^[!^]/.test(rest)) throw new UsageError(`"${rest[0]}" is no sign: use != or ^=`, { source, at });
    else at += take('word', /^[^\s"'()=<>~,!^]+/.exec(rest)?.[0] ?? '', at);
  }
  return [...tokens, { kind: 'end', text: '', at: source.length }];

  function take(kind: Token['kind'], text: string, at: number): number {
    tokens.push({ kind, text, at });
    return text.length;
  }

  /** In quotes of either kind, a backslash takes the next character as it is. */
  function takeText(of: string, at: number): number {
    const [whole, quote, inner] = /^(["'])((?:\\.|(?!\1)[^\\])*)\1/s.exec(of.slice(at)) ?? [];
    if (whole === undefined || quote === undefined || inner === undefined)
      throw new UsageError('the text has no closing quote: add one', { source: of, at });
    tokens.push({ kind: 'text', text: inner.replaceAll(/\\(.)/gs, (_, one) => escapes[one] ?? one), at });
    return whole.length;
  }
}
