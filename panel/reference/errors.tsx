import { useEffect } from 'preact/hooks';
import { allOperations, answersOf, type Document, jsonOf, reasonsIn } from '../document/document.ts';
import { Badge } from '../parts/badge.tsx';
import { Head } from '../parts/head.tsx';
import { Json } from './code.tsx';
import { inline, Markdown } from './markdown.tsx';
import { Opened, SchemaTree } from './schema.tsx';

/** Every error by status, with each of its reasons; the one of the address is brought into view. */
export function Errors({ document: of, reason }: { document: Document; reason?: string | undefined }) {
  useEffect(() => {
    if (reason !== undefined) document.getElementById(`reason-${reason}`)?.scrollIntoView({ block: 'center' });
  }, [reason]);
  const statuses = new Map(
    allOperations(of).flatMap(({ operation }) =>
      answersOf(of, operation).flatMap(({ status, name }) => (name === undefined ? [] : [[name, status] as const])),
    ),
  );
  const { ApiError } = of.components.schemas;
  const marked = new Set<string>();
  return (
    <>
      <Head title="Errors" />
      <div class="prose">
        <p>
          Every error has the same envelope. <code>error</code> says its kind, <code>details.reason</code> what a
          program may go by, <code>message</code> what a person reads.
        </p>
        {ApiError && <SchemaTree document={of} schema={ApiError} isAnswer />}
      </div>
      {Object.entries(of.components.responses).map(([name, answer]) => {
        const examples = Object.values(jsonOf(answer)?.examples ?? {});
        return (
          <section key={name} class="group prose" aria-labelledby={`error-${name}`}>
            <h2 id={`error-${name}`}>
              <Badge tone="bad">{statuses.get(name)}</Badge> {name.replaceAll(/(?<=[a-z])([A-Z])/g, ' $1')}
            </h2>
            <Markdown text={answer.description.split(/\n\n?- `/, 1)[0] as string} />
            <dl class="reasons">
              {reasonsIn(answer.description).map((one) => {
                // Of a reason that several statuses have, the first is the place.
                const id = marked.has(one.reason) ? undefined : `reason-${one.reason}`;
                marked.add(one.reason);
                return (
                  <div key={one.reason} id={id} class={one.reason === reason ? 'found' : undefined}>
                    <dt>
                      <code>{one.reason}</code>
                    </dt>
                    <dd>{inline(one.text)}</dd>
                  </div>
                );
              })}
            </dl>
            {examples.length > 0 && (
              <Opened title={examples.length === 1 ? 'Example' : 'Examples'}>
                {examples.map(({ value }) => (
                  <Json key={JSON.stringify(value)} value={value} label="the example" />
                ))}
              </Opened>
            )}
          </section>
        );
      })}
    </>
  );
}
