import { useContext, useId, useState } from 'preact/hooks';
import { type Called, type Document, type Parameter, parametersOf, resolved } from '../document/document.ts';
import { addressOf, exampleOf, type Sample } from '../document/examples.ts';
import { Badge } from '../parts/badge.tsx';
import { Failure } from '../parts/failure.tsx';
import { type Caller, Calling } from './caller.ts';
import { Code } from './code.tsx';

interface Answered {
  status: number;
  tookMs: number;
  headers: string;
  body: string;
}

const shownCharacters = 100_000;

/** Makes the call from here; what is real is only read. */
export function TryIt({ document, called, sample }: { document: Document; called: Called; sample: Sample }) {
  const caller = useContext(Calling);
  const [answered, setAnswered] = useState<Answered>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const id = useId();
  const parameters = parametersOf(document, called.operation).filter((one) => one.in !== 'header');
  const needed = parameters.filter(({ required }) => required);
  const optional = parameters.filter(({ required }) => !required);
  const refused = refusalOf(sample, caller);
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    if (refused !== undefined) return;
    setBusy(true);
    setError(undefined);
    setAnswered(undefined);
    try {
      const given = new FormData(event.currentTarget as HTMLFormElement);
      const request = requestOf(sample, parameters, (name) => String(given.get(name) ?? '').trim());
      const startedAt = performance.now();
      const response = await caller.send(request);
      const body = readable(await response.text());
      const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
      setAnswered({ status: response.status, tookMs: Math.round(performance.now() - startedAt), headers, body });
    } catch (problem) {
      setError(problem);
    }
    setBusy(false);
  };
  return (
    <section class="card try" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>Try it</h2>
      <form onSubmit={send}>
        {sample.needsKey && caller.key && <KeyField value={caller.key.value} onChange={caller.key.change} />}
        {needed.map((one) => (
          <ParameterField
            key={one.name}
            of={one}
            choices={choicesOf(document, one)}
            value={String(exampleOf(document, one))}
          />
        ))}
        {optional.length > 0 && (
          <details>
            <summary>{optional.length === 1 ? 'One filter' : `${optional.length} filters`}</summary>
            <div class="two">
              {optional.map((one) => (
                <ParameterField
                  key={one.name}
                  of={one}
                  choices={choicesOf(document, one)}
                  value={String(sample.query[one.name] ?? '')}
                />
              ))}
            </div>
          </details>
        )}
        {sample.body !== undefined && (
          <div class="field">
            <label for={`${id}-body`}>Body (JSON)</label>
            <textarea
              id={`${id}-body`}
              name="body"
              class="source"
              rows={8}
              spellcheck={false}
              defaultValue={JSON.stringify(sample.body, null, 2)}
            />
          </div>
        )}
        {refused && <p class="note">{refused}</p>}
        <div class="actions">
          <button type="submit" class="primary" disabled={isBusy || refused !== undefined}>
            {isBusy ? 'One moment …' : 'Send'}
          </button>
        </div>
      </form>
      <div aria-live="polite">
        {error !== undefined && <Failure error={error} />}
        {answered && <Answer of={answered} />}
      </div>
    </section>
  );
}

/** Why a call is not made; undefined where it is. */
function refusalOf({ method, needsKey }: Sample, { environment, key }: Caller): string | undefined {
  if (!needsKey) return undefined;
  if (environment === undefined) return 'A call needs a key: csk_test_… for the sandbox, where nothing leaves it.';
  if (environment === 'test' || method === 'GET') return undefined;
  return key
    ? 'This key is live and only reads here. Take a key csk_test_… to write, in the sandbox.'
    : 'Live data are only read here. Switch to the sandbox to write.';
}

function requestOf(sample: Sample, parameters: readonly Parameter[], typed: (name: string) => string): Request {
  const values = (place: Parameter['in']) =>
    Object.fromEntries(
      parameters
        .filter((one) => one.in === place && typed(one.name) !== '')
        .map((one) => [one.name, isObject(one) ? pairsIn(typed(one.name)) : typed(one.name)]),
    );
  const address = addressOf({ ...sample, variables: values('path'), query: values('query') });
  const body = sample.body === undefined ? undefined : typed('body');
  const headers = {
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...(sample.isWrite && { 'Idempotency-Key': crypto.randomUUID() }),
  };
  return new Request(new URL(address, location.origin), { method: sample.method, headers, body, cache: 'no-store' });
}

const isObject = ({ schema }: Parameter) => schema?.type === 'object';

/** `externalId=crm-7, plan=pro` */
const pairsIn = (text: string) =>
  Object.fromEntries(
    text.split(',').map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return [name.trim(), value.join('=').trim()];
    }),
  );

function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2).slice(0, shownCharacters);
  } catch {
    return text.slice(0, shownCharacters);
  }
}

function KeyField({ value, onChange }: { value: string; onChange(to: string): void }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>API key</label>
      <input
        id={id}
        type="password"
        autocomplete="off"
        placeholder="csk_test_…"
        value={value}
        aria-describedby={`${id}-hint`}
        onInput={(event) => onChange(event.currentTarget.value.trim())}
      />
      <p class="hint" id={`${id}-hint`}>
        Kept in this tab alone, until it is closed.
      </p>
    </div>
  );
}

/** What a parameter can be, where that is one of a few. */
function choicesOf(document: Document, { schema = {} }: Parameter): readonly string[] | undefined {
  const { enum: values, type } = resolved(document, schema);
  if (type === 'boolean') return ['true', 'false'];
  return values?.filter((value) => value !== null).map(String);
}

interface ParameterFieldProps {
  of: Parameter;
  choices: readonly string[] | undefined;
  value: string;
}

function ParameterField({ of, choices, value }: ParameterFieldProps) {
  const id = useId();
  if (choices)
    return (
      <div class="field">
        <label for={id}>{of.name}</label>
        <select id={id} name={of.name} required={of.required === true}>
          {of.required !== true && <option value="">–</option>}
          {choices.map((choice) => (
            <option key={choice} value={choice} selected={choice === value}>
              {choice}
            </option>
          ))}
        </select>
      </div>
    );
  return (
    <div class="field">
      <label for={id}>{of.name}</label>
      <input
        id={id}
        name={of.name}
        required={of.required === true}
        defaultValue={value}
        placeholder={isObject(of) ? 'externalId=crm-7' : undefined}
        spellcheck={false}
      />
    </div>
  );
}

const Answer = ({ of: { status, tookMs, headers, body } }: { of: Answered }) => (
  <div class="reply" data-status={status}>
    <p class="actions">
      <Badge tone={status < 300 ? 'good' : 'bad'}>{status}</Badge>
      <span class="muted">{tookMs} ms</span>
    </p>
    <Code text={body} label="the answer" />
    <details>
      <summary>Headers</summary>
      <Code text={headers} label="the headers" />
    </details>
  </div>
);
