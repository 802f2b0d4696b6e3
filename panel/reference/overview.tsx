import { type Document, operationsOf } from '../document/document.ts';
import { guides } from '../document/search.ts';
import { Badge } from '../parts/badge.tsx';
import { Head } from '../parts/head.tsx';
import { linkInto } from './links.ts';
import { Markdown } from './markdown.tsx';
import { OperationList } from './method.tsx';

/** What the API is, and everything that there is to call. */
export function Overview({ document }: { document: Document }) {
  const { title, version, description } = document.info;
  const key = document.components.securitySchemes['bearerKey']?.description;
  return (
    <>
      <Head title={title}>
        <Badge tone="accent">{version}</Badge>
      </Head>
      <div class="prose">
        <Markdown text={description} />
        <h2>Keys</h2>
        <p>
          A call carries its key: <code>Authorization: Bearer csk_…</code>
        </p>
        {key && <Markdown text={key} />}
        <h2>For machines</h2>
        <ul>
          <li>
            <a href="/openapi.json">OpenAPI 3.1</a>, from which clients are generated
          </li>
          <li>
            <a href="/docs/postman.json">Postman collection</a>
          </li>
          <li>
            <a href="/llms.txt">llms.txt</a>, for models
          </li>
        </ul>
      </div>
      <div class="cards guides">
        {guides.map(({ place, title: name, text }) => (
          <a key={place} class="card" href={linkInto(place)}>
            <strong>{name}</strong>
            <span class="muted">{text}</span>
          </a>
        ))}
        <a class="card" href={linkInto('/events')}>
          <strong>Events</strong>
          <span class="muted">What webhooks are sent and the feed keeps</span>
        </a>
      </div>
      {document.tags.map(({ name, description: about }) => {
        const operations = operationsOf(document, name);
        return operations.length === 0 ? null : (
          <section key={name} class="group" aria-labelledby={`tag-${name}`}>
            <h2 id={`tag-${name}`}>{name}</h2>
            {about && <p class="muted">{about}</p>}
            <OperationList operations={operations} />
          </section>
        );
      })}
    </>
  );
}
