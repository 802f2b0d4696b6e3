import { answersOf, type Document, jsonOf, type Operation, parametersOf } from '../document/document.ts';
import { Head } from '../parts/head.tsx';
import { Answers } from './answers.tsx';
import { Code, Json } from './code.tsx';
import { linkInto } from './links.ts';
import { inline, Markdown } from './markdown.tsx';
import { Parameters } from './parameters.tsx';
import { Opened, SchemaTree } from './schema.tsx';

/** Every kind of event. */
export const Events = ({ document }: { document: Document }) => (
  <>
    <Head title="Events" />
    <div class="prose">
      <p>
        What happens is sent to webhook endpoints, signed as Standard Webhooks has it, and kept in the feed:{' '}
        <a href={linkInto('/operations/eventsList')}>
          <code>GET /v1/events</code>
        </a>
        .
      </p>
      <h2>Verify a signature</h2>
      <Code text={verify} label="the TypeScript example" />
    </div>
    <ul class="entries">
      {Object.entries(document.webhooks).map(([kind, { post }]) => (
        <li key={kind}>
          <a href={linkInto(`/events/${kind}`)}>
            <code>{kind}</code>
            <span class="muted">{inline(post.summary)}</span>
          </a>
        </li>
      ))}
    </ul>
  </>
);

const verify = `import { verifyWebhook } from 'crm-api-client';

// Raises a WebhookVerificationError for
// what is not ours. rawBody is unparsed.
const event = verifyWebhook(
  rawBody,
  request.headers,
  process.env.WEBHOOK_SECRET,
);`;

/** A kind of event: what it holds and how a receiver answers. */
export function EventPage({ document, kind, operation }: { document: Document; kind: string; operation: Operation }) {
  const body = jsonOf(operation.requestBody);
  return (
    <>
      <Head title={kind} above={<a href={linkInto('/events')}>Events</a>} />
      <div class="operation">
        <div class="prose">
          <p>{inline(operation.summary)}</p>
          {operation.description && <Markdown text={operation.description} />}
          {body?.schema && (
            <section aria-label="Body">
              <h2>Body</h2>
              <SchemaTree document={document} schema={body.schema} isAnswer />
            </section>
          )}
          <section aria-label="Delivery">
            <h2>Delivery</h2>
            <Opened title="Headers">
              <Parameters document={document} of={parametersOf(document, operation)} />
            </Opened>
            <Answers document={document} of={answersOf(document, operation)} />
          </section>
        </div>
        <div class="trial">
          <section class="card" aria-labelledby="example">
            <h2 id="example">Example</h2>
            {body?.example !== undefined && <Json value={body.example} label="the example of the event" />}
          </section>
          <section class="card" aria-labelledby="receive">
            <h2 id="receive">Receive it</h2>
            <Code text={verify} label="the TypeScript example" />
            <p>On your machine, by the command line:</p>
            <Code text="npx crm listen --forward-to http://localhost:3000/webhooks" label="the command" />
          </section>
        </div>
      </div>
    </>
  );
}
