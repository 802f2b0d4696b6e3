import { withoutCredentials } from './credentials.ts';
import type { Route } from './route.ts';

/** `*` for whatever no route matches. */
export const routeLabel = ({ path }: Pick<Route, 'path'>) => (path === '$default' ? '*' : path);

const isId = (segment: string) => /^\d{1,10}$/.test(segment);
const isTextId = (segment: string) => /^[\w-]{1,64}$/.test(segment) && withoutCredentials(segment) === segment;
/** A word, as a part of a path is: no address, no phone, no full name and no key. */
const isPlain = (segment: string) =>
  (/^[a-z][\w.-]{0,39}$/i.test(segment) && withoutCredentials(segment) === segment) || isId(segment);

const maxSegments = 12;

/**
 * The path of a request as a log may have it: with ids, and without anything else that somebody has put there, since what an erased
 * person is called must not stay in a log.
 */
export function maskPath(
  { path: template, textParams = [] }: Pick<Route, 'path' | 'textParams'>,
  path: string,
): string {
  const segments = path.split('/');
  const parts = template.split('/');
  if (parts.length !== segments.length || template === '$default') {
    const [shown, more] = [segments.slice(0, maxSegments), segments.length > maxSegments];
    return [...shown.map((one) => (one === '' || isPlain(one) ? one : '…')), ...(more ? ['…'] : [])].join('/');
  }
  return parts
    .map((part, index) => {
      const segment = segments[index] as string;
      if (!part.startsWith('{')) return part;
      const name = part.slice(1, -1);
      const isText = name !== 'token' && textParams.includes(name as never);
      return isId(segment) || (isText && isTextId(segment)) ? segment : part;
    })
    .join('/');
}
