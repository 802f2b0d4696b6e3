import { allOperations, answersOf, type Document, jsonOf, listedIn, textBeforeList } from '../document/document.ts';
import { Badge } from '../parts/badge.tsx';
import { Head } from '../parts/head.tsx';
import { Json } from './code.tsx';
import { linkInto } from './links.ts';
import { inline, Markdown } from './markdown.tsx';
import { OperationList } from './method.tsx';
import { Opened, SchemaTree } from './schema.tsx';

/** Every error answer that operations share, with its status. */
function errorsOf(document: Document) {
  const statuses = new Map(
    allOperations(document).flatMap(({ operation }) =>
      answersOf(document, operation).flatMap(({ status, name }) =>
        name === undefined ? [] : [[name, status] as const],
      ),
    ),
  );
  return Object.entries(document.components.responses).map(([name, answer]) => ({
    name,
    status: statuses.get(name),
    title: name.replaceAll(/(?<=[a-z])([A-Z])/g, ' $1'),
    answer,
    examples: Object.values(jsonOf(answer)?.examples ?? {}),
  }));
}

/** Every error by status, with each of its reasons. */
export function Errors({ document }: { document: Document }) {
  const { ApiError } = document.components.schemas;
  return (
    <>
      <Head title="Errors" />
      <div class="prose">
        <p>
          Every error has the same envelope. <code>error</code> says its kind. <code>details.reason</code> is for
          programs, and <code>message</code> for people. <code>details.docs</code> leads to the page of the reason.
        </p>
        {ApiError && <SchemaTree document={document} schema={ApiError} isAnswer />}
      </div>
      {errorsOf(document).map(({ name, status, title, answer, examples }) => (
        <section key={name} class="group prose" aria-labelledby={`error-${name}`}>
          <h2 id={`error-${name}`}>
            <Badge tone="bad">{status}</Badge> {title}
          </h2>
          <Markdown text={textBeforeList(answer.description)} />
          <dl class="reasons">
            {listedIn(answer.description).map((one) => (
              <div key={one.name}>
                <dt>
                  <a href={linkInto(`/errors/${one.name}`)}>
                    <code>{one.name}</code>
                  </a>
                </dt>
                <dd>{inline(one.text)}</dd>
              </div>
            ))}
          </dl>
          {examples.length > 0 && (
            <Opened title={examples.length === 1 ? 'Example' : 'Examples'}>
              {examples.map(({ value }) => (
                <Json key={JSON.stringify(value)} value={value} label="the example" />
              ))}
            </Opened>
          )}
        </section>
      ))}
    </>
  );
}

/** One reason: what happened, what to do, and which operations speak of it. */
export function ErrorPage({ document, reason }: { document: Document; reason: string }) {
  const found = errorsOf(document).find(({ answer }) =>
    listedIn(answer.description).some(({ name }) => name === reason),
  );
  const head = <Head title={reason} above={<a href={linkInto('/errors')}>Errors</a>} />;
  if (!found)
    return (
      <>
        {head}
        <p>
          Operations of the panel answer this reason, not those of the API. The <code>message</code> of the error says
          what is wrong.
        </p>
      </>
    );
  const { status, title, answer, examples } = found;
  const text = listedIn(answer.description).find(({ name }) => name === reason)?.text ?? '';
  const example = examples.find(({ value }) => (value as ErrorBody).details?.reason === reason)?.value ?? {
    error: codeOf(examples[0]?.value),
    message: text.split('. ', 1)[0],
    details: { reason, docs: `/docs/#/errors/${reason}` },
  };
  const operations = allOperations(document).filter(({ operation: { description = '' } }) =>
    description.includes(`\`${reason}\``),
  );
  return (
    <>
      {head}
      <div class="prose">
        <p>
          <Badge tone="bad">{status}</Badge> {title}
        </p>
        <Markdown text={text} />
        <Json value={example} label="the example" />
        {operations.length > 0 && (
          <section aria-labelledby="answered-by">
            <h2 id="answered-by">Operations that name it</h2>
            <OperationList operations={operations} />
          </section>
        )}
      </div>
    </>
  );
}

interface ErrorBody {
  error: string;
  details: { reason?: string } | null;
}

const codeOf = (value: unknown) => (value as ErrorBody | undefined)?.error;
