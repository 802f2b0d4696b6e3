import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { useLoaded } from '../app/load.ts';
import { variablesOf } from '../app/route.ts';
import { allOperations, type Document } from '../document/document.ts';
import { entriesOf } from '../document/search.ts';
import { Failure } from '../parts/failure.tsx';
import { filter } from '../parts/filters.tsx';
import { Head } from '../parts/head.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { ErrorPage, Errors } from './errors.tsx';
import { EventPage, Events } from './events.tsx';
import { Changelog, Mcp } from './guides.tsx';
import { Limits } from './limits.tsx';
import { loadDocument } from './loading.ts';
import { OperationPage } from './operation.tsx';
import { Overview } from './overview.tsx';
import { Results } from './results.tsx';
import { SchemaPage } from './schema-page.tsx';

/** The page of the reference at a place of it, or what a search finds. */
export function ReferenceView({ path }: { path: string }) {
  const { data: document, error, reload } = useLoaded(loadDocument, []);
  const entries = useMemo(() => (document ? entriesOf(document) : []), [document]);
  const asked = filter('q');
  if (error !== undefined) return <Failure error={error} again={reload} />;
  if (!document)
    return (
      <>
        <Head title="Reference" />
        <Skeleton lines={6} />
      </>
    );
  if (asked !== undefined) return <Results entries={entries} asked={asked} />;
  return <>{pageAt(document, path) ?? <Nothing />}</>;
}

type Show = (document: Document, variables: Record<string, string>) => ComponentChildren;

const pages: Record<string, Show> = {
  '/home': (document) => <Overview document={document} />,
  '/operations/{id}': (document, { id }) => {
    const called = allOperations(document).find(({ operation }) => operation.operationId === id);
    return called && <OperationPage key={id} document={document} called={called} />;
  },
  '/events': (document) => <Events document={document} />,
  '/events/{kind}': (document, { kind = '' }) => {
    const event = document.webhooks[kind];
    return event && <EventPage key={kind} document={document} kind={kind} operation={event.post} />;
  },
  '/schemas/{name}': (document, { name = '' }) => {
    const schema = document.components.schemas[name];
    return schema && <SchemaPage key={name} document={document} name={name} schema={schema} />;
  },
  '/errors': (document) => <Errors document={document} />,
  '/errors/{reason}': (document, { reason = '' }) => <ErrorPage document={document} reason={reason} />,
  '/limits': (document) => <Limits document={document} />,
  '/mcp': () => <Mcp />,
  '/changelog': () => <Changelog />,
};

function pageAt(document: Document, path: string): ComponentChildren {
  for (const [pattern, show] of Object.entries(pages)) {
    const variables = variablesOf(pattern, path);
    if (variables) return show(document, variables);
  }
  return undefined;
}

const Nothing = () => (
  <>
    <Head title="There is no such page" />
    <p>Search for what you need, or choose it from the list.</p>
  </>
);
