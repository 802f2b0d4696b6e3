import { type Entry, find, hasAll } from '../document/search.ts';
import { Badge } from '../parts/badge.tsx';
import { Head } from '../parts/head.tsx';
import { linkInto } from './links.ts';
import { inline } from './markdown.tsx';
import { Method } from './method.tsx';

const shownAtOnce = 50;

/** What a search finds, the closest first. */
export function Results({ entries, asked }: { entries: readonly Entry[]; asked: string }) {
  const found = find(entries, asked);
  return (
    <>
      <Head title={`Search: ${asked}`} />
      <p class="muted" role="status">
        {found.length === 0 ? 'Nothing has any of these words.' : `${found.length} found`}
        {found[0] && !hasAll(found[0], asked) && ', which have not all of these words'}
        {found.length > shownAtOnce && `, the closest ${shownAtOnce} of them below`}
      </p>
      <ul class="entries" data-results>
        {found.slice(0, shownAtOnce).map(({ kind, method, title, text, place }) => (
          <li key={`${kind} ${method} ${title}`}>
            <a href={linkInto(place)}>
              {method ? <Method name={method} /> : <Badge>{kind}</Badge>}
              <code>{title}</code>
              <span class="muted">{inline(text)}</span>
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}
