import {
  type Called,
  type Document,
  fieldsOf,
  jsonOf,
  limitsIn,
  operationsOf,
  parametersOf,
} from '../document/document.ts';
import { Head } from '../parts/head.tsx';
import { linkInto } from './links.ts';
import { Markdown } from './markdown.tsx';
import { Opened } from './schema.tsx';

interface Limit {
  place: string;
  limit: string;
  operations: string[];
}

/** What one may call how often, and what each field takes. */
export function Limits({ document }: { document: Document }) {
  const { headers, responses } = document.components;
  const rates = Object.entries(headers).filter(([name]) => name.startsWith('X-RateLimit-'));
  return (
    <>
      <Head title="Limits" />
      <div class="prose">
        <h2>Requests</h2>
        <p>Every key has its number of requests per minute, and every answer says where it stands.</p>
        <ul class="fields">
          {rates.map(([name, { description }]) => (
            <li key={name}>
              <p class="signature">
                <code class="name">{name}</code> {description && <span class="muted">{description}</span>}
              </p>
            </li>
          ))}
        </ul>
        <p>What is too much is answered with 429 and Retry-After:</p>
        <Markdown text={responses['RateLimited']?.description ?? ''} />
        <p>
          How many of a thing there may be, and how large a request, is among the reasons of{' '}
          <a href={linkInto('/errors')}>the errors</a>.
        </p>
        <h2>Fields</h2>
        {document.tags.map(({ name }) => {
          const limits = limitsOf(document, operationsOf(document, name));
          return limits.length === 0 ? null : (
            <Opened key={name} title={`${name} (${limits.length})`}>
              <Table of={limits} caption={`Limits of ${name}`} />
            </Opened>
          );
        })}
      </div>
    </>
  );
}

function limitsOf(document: Document, operations: readonly Called[]): Limit[] {
  const found = new Map<string, Limit>();
  for (const { operation } of operations) {
    const body = jsonOf(operation.requestBody)?.schema;
    const given = [
      ...parametersOf(document, operation).flatMap(({ name, schema = {} }) => [...fieldsOf(document, schema, name)]),
      ...(body ? fieldsOf(document, body) : []),
    ];
    for (const { place, schema } of given) {
      const limit = limitsIn(schema).join(', ');
      if (limit === '') continue;
      const key = `${place} ${limit}`;
      const known = found.get(key) ?? { place, limit, operations: [] };
      found.set(key, known);
      if (!known.operations.includes(operation.operationId)) known.operations.push(operation.operationId);
    }
  }
  return [...found.values()].sort((a, b) => (a.place < b.place ? -1 : 1));
}

const Table = ({ of, caption }: { of: readonly Limit[]; caption: string }) => (
  <section class="scroller" aria-label={caption}>
    <table>
      <caption class="hidden">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Takes</th>
          <th scope="col" class="wide">
            Operations
          </th>
        </tr>
      </thead>
      <tbody>
        {of.map(({ place, limit, operations }) => (
          <tr key={`${place} ${limit}`}>
            <td>
              <code>{place}</code>
            </td>
            <td>{limit}</td>
            <td class="wide">
              {operations.map((id, at) => (
                <span key={id}>
                  {at > 0 && ', '}
                  <a href={linkInto(`/operations/${id}`)}>{id}</a>
                </span>
              ))}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);
