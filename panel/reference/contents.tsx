import type { ComponentChildren } from 'preact';
import { useLoaded } from '../app/load.ts';
import { operationsOf } from '../document/document.ts';
import { guides } from '../document/search.ts';
import { linkInto } from './links.ts';
import { loadDocument } from './loading.ts';
import { Method } from './method.tsx';

/** The list of everything; the group of what is shown is open. */
export function Contents({ isOpen, path }: { isOpen: boolean; path: string }) {
  const { data: document } = useLoaded(loadDocument, []);
  const groups = (document?.tags ?? [])
    .map(({ name }) => ({ name, operations: document ? operationsOf(document, name) : [] }))
    .filter(({ operations }) => operations.length > 0);
  return (
    <nav id="navigation" aria-label="Reference" class={isOpen ? 'navigation open' : 'navigation'}>
      <ul>
        {[{ place: '/home', title: 'Overview' }, ...guides].map(({ place, title }) => (
          <li key={place}>
            <Entry place={place} path={path}>
              {title}
            </Entry>
          </li>
        ))}
      </ul>
      <h2>Operations</h2>
      {groups.map(({ name, operations }) => {
        const places = operations.map(({ operation }) => `/operations/${operation.operationId}`);
        return (
          <details key={name} open={places.includes(path)}>
            <summary>{name}</summary>
            <ul>
              {operations.map(({ method, operation }, at) => (
                <li key={places[at]}>
                  <Entry place={places[at] as string} path={path}>
                    <Method name={method} />
                    <span>{operation.summary}</span>
                  </Entry>
                </li>
              ))}
            </ul>
          </details>
        );
      })}
      <h2>Events</h2>
      <ul>
        <li>
          <Entry place="/events" path={path}>
            All events
          </Entry>
        </li>
        {Object.keys(document?.webhooks ?? {}).map((kind) => (
          <li key={kind}>
            <Entry place={`/events/${kind}`} path={path}>
              {kind}
            </Entry>
          </li>
        ))}
      </ul>
    </nav>
  );
}

const Entry = ({ place, path, children }: { place: string; path: string; children: ComponentChildren }) => (
  <a href={linkInto(place)} aria-current={place === path ? 'page' : undefined}>
    {children}
  </a>
);
