import { useMemo } from 'preact/hooks';
import {
  answersOf,
  type Called,
  type Document,
  isPublic,
  jsonOf,
  type Parameter,
  parametersOf,
} from '../document/document.ts';
import { sampleOf } from '../document/examples.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Head } from '../parts/head.tsx';
import { Answers } from './answers.tsx';
import { TryIt } from './attempt.tsx';
import { Json } from './code.tsx';
import { linkInto } from './links.ts';
import { Markdown } from './markdown.tsx';
import { Method } from './method.tsx';
import { Parameters } from './parameters.tsx';
import { Samples } from './samples.tsx';
import { SchemaTree } from './schema.tsx';

const places: readonly (readonly [Parameter['in'], string])[] = [
  ['path', 'Path'],
  ['query', 'Query'],
  ['header', 'Headers'],
];

/** An operation: what it takes, what it answers, how it is called, and a call. */
export function OperationPage({ document, called }: { document: Document; called: Called }) {
  const { method, path, operation } = called;
  const { summary, description, requestBody } = operation;
  const sample = useMemo(() => sampleOf(document, called), [called]);
  const parameters = parametersOf(document, operation);
  const body = jsonOf(requestBody);
  return (
    <>
      <Head title={summary} above={<a href={linkInto('/home')}>{operation.tags[0]}</a>} />
      <div class="operation">
        <div class="prose">
          <p class="signature address">
            <Method name={method} />
            <code>{path}</code>
            <CopyButton text={path} label="Copy the path" />
          </p>
          {description && <Markdown text={description} />}
          {isPublic(operation) && <p>Needs no key.</p>}
          {places.map(([place, title]) => {
            const of = parameters.filter((one) => one.in === place);
            return of.length === 0 ? null : (
              <section key={place} aria-label={title}>
                <h2>{title}</h2>
                <Parameters document={document} of={of} />
              </section>
            );
          })}
          {body?.schema && (
            <section aria-label="Body">
              <h2>Body</h2>
              <SchemaTree document={document} schema={body.schema} />
              {body.example !== undefined && <Json value={body.example} label="the example of the body" />}
            </section>
          )}
          <section aria-label="Answers">
            <h2>Answers</h2>
            <Answers document={document} of={answersOf(document, operation)} />
          </section>
        </div>
        <div class="trial">
          <Samples sample={sample} />
          <TryIt document={document} called={called} sample={sample} />
        </div>
      </div>
    </>
  );
}
