import { useState } from 'preact/hooks';
import { type answersOf, type Document, jsonOf, nameIn } from '../document/document.ts';
import { Badge, type Tone } from '../parts/badge.tsx';
import { Json } from './code.tsx';
import { inline, Markdown } from './markdown.tsx';
import { Opened, SchemaTree } from './schema.tsx';

type Answered = ReturnType<typeof answersOf>[number];

/** What is answered by status: the good ones open, the others with every reason that they may have. */
export const Answers = ({ document, of }: { document: Document; of: readonly Answered[] }) => (
  <>
    {[...of].sort(goodFirst).map((one) => (
      <AnswerOf key={one.status} document={document} answered={one} />
    ))}
  </>
);

const isGood = ({ status }: Answered) => status.startsWith('2');
const goodFirst = (one: Answered, other: Answered) => Number(isGood(other)) - Number(isGood(one));

const toneOf = (status: string): Tone => (/^2/.test(status) ? 'good' : /^3/.test(status) ? 'plain' : 'bad');

function AnswerOf({ document, answered }: { document: Document; answered: Answered }) {
  const { status, answer } = answered;
  const [isOpen, setOpen] = useState(isGood(answered));
  const [short = ''] = answer.description.split(/(?<=\.)\s|\n|[(:]/, 1);
  const body = jsonOf(answer);
  const examples = body
    ? [...Object.values(body.examples ?? {}), ...(body.example === undefined ? [] : [{ value: body.example }])]
    : [];
  const headers = Object.entries(answer.headers ?? {});
  const said = (
    <>
      <Badge tone={toneOf(status)}>{status}</Badge> {inline(short)}
    </>
  );
  if (!body && headers.length === 0 && answer.description === short) return <p class="reply">{said}</p>;
  return (
    <details class="reply" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{said}</summary>
      {isOpen && (
        <div class="prose">
          {answer.description !== short && <Markdown text={answer.description} />}
          {body?.schema && isGood(answered) && <SchemaTree document={document} schema={body.schema} isAnswer />}
          {examples.map(({ value }) => (
            <Json key={JSON.stringify(value)} value={value} label="the example of the answer" />
          ))}
          {headers.length > 0 && (
            <Opened title="Headers">
              <ul class="fields">
                {headers.map(([name, given]) => {
                  const header = '$ref' in given ? document.components.headers[nameIn(given.$ref)] : given;
                  return (
                    <li key={name}>
                      <p class="signature">
                        <code class="name">{name}</code>
                      </p>
                      {header?.description && <Markdown text={header.description} />}
                    </li>
                  );
                })}
              </ul>
            </Opened>
          )}
        </div>
      )}
    </details>
  );
}
