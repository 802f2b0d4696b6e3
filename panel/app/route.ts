import { signal } from '@preact/signals';

/** Where in the panel somebody is: the fragment `#/contacts/7?stage=new`. */
export interface Place {
  /** `/contacts/7` */
  path: string;
  query: URLSearchParams;
}

function placeOf(fragment: string): Place {
  const [path = '', query = ''] = fragment.replace(/^#/, '').split('?', 2);
  return { path: path === '' || path === '/' ? '/home' : path.replace(/\/$/, ''), query: new URLSearchParams(query) };
}

export const place = signal(placeOf(location.hash));

addEventListener('hashchange', () => {
  place.value = placeOf(location.hash);
});

export type Query = Record<string, string | number | boolean | null | undefined>;

/** The link to a place; what is empty in the query is left out. */
export function linkTo(path: string, query: Query = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === null || value === '' || value === false ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? `#${path}` : `#${path}?${new URLSearchParams(given)}`;
}

export function go(path: string, query?: Query): void {
  location.hash = linkTo(path, query);
}

/** Goes there in place of where somebody is, so that "back" does not lead here again. */
export function replacePlace(path: string, query?: Query): void {
  history.replaceState(null, '', linkTo(path, query));
  place.value = placeOf(location.hash);
}

/** Changes some of the query of the place that is open; a filter that changes begins at the first page. */
export function withQuery(changes: Query): string {
  const { path, query } = place.value;
  return linkTo(path, { ...Object.fromEntries(query), after: undefined, ...changes });
}

/** The variables of a pattern like `/contacts/{id}`, or undefined where it does not fit. */
export function variablesOf(pattern: string, path: string): Record<string, string> | undefined {
  const parts = pattern.split('/');
  const segments = path.split('/');
  if (parts.length !== segments.length) return undefined;
  const variables: Record<string, string> = {};
  for (const [at, part] of parts.entries()) {
    const segment = segments[at] as string;
    if (part.startsWith('{')) variables[part.slice(1, -1)] = decoded(segment);
    else if (part !== segment) return undefined;
  }
  return variables;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
