import { type ComponentChildren, createContext } from 'preact';
import { useContext, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../../client/index.ts';
import { count, lengthOf } from '../app/show.ts';
import { t } from '../app/texts.ts';
import { say } from '../app/toasts.ts';
import { readVersion } from '../app/version.ts';
import { Counter } from './counter.tsx';
import { useClosing } from './dialog.tsx';
import { Failure } from './failure.tsx';
import { filled } from './filled.tsx';
import { UserText, userText } from './user-text.tsx';

/** The values of somebody else at the fields that both have changed. */
const Conflicts = createContext<Values>({});
const Problems = createContext<ReadonlyMap<string, string>>(new Map());

/** The values of a form by the names of its fields, trimmed; undefined for what is empty. */
export type Values = Readonly<Record<string, string | undefined>>;

/** What a form says about the fields that somebody has changed. */
export interface Edit {
  isChanged(name: string): boolean;
  /** The changed fields alone, of a body whose names are those of the fields: the body of a PATCH. */
  only<Body extends object>(body: Body): Partial<Body>;
  /** For `params.header`: the version that was edited. */
  header: { 'If-Match'?: string };
}

/** The record that a form changes. */
export interface Edited<Of> {
  /** Where it is read: `/v1/deals/7`. */
  path: string;
  /** Its values as the fields of the form hold them, by their names. */
  valuesOf(record: Of): Values;
}

interface FormProps<Of> {
  /** Does it; what it raises is shown, at the fields that it names. */
  onSubmit(values: Values, edit: Edit): Promise<unknown>;
  submit: string;
  /** Of a form that changes a record: a conflict with somebody else's change shows both values. */
  of?: Edited<Of> | undefined;
  /** Shows a second button that gives up. */
  onCancel?: () => void;
  isDangerous?: boolean;
  /** It makes something new: its values are read when it is submitted, and compared with none. */
  isNew?: boolean;
  children?: ComponentChildren;
}

export function Form<Of>({
  onSubmit,
  submit,
  of,
  onCancel,
  isDangerous = false,
  isNew = false,
  children,
}: FormProps<Of>) {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const [conflicts, setConflicts] = useState<Values>({});
  const form = useRef<HTMLFormElement>(null);
  const closing = useClosing();
  /** What the record held when the form opened or was last compared, and its version. */
  const base = useRef<Values>({});
  const etag = useRef<string | undefined>(undefined);
  const reading = useRef<Promise<Values> | undefined>(undefined);
  // Before anything can be typed.
  useLayoutEffect(() => {
    if (form.current && !isNew) base.current = valuesOf(form.current);
    // The page may show an older version than is there now.
    if (!of) return;
    reading.current = compare().then((both) => {
      reading.current = undefined;
      setConflicts(both);
      return both;
    });
  }, [of?.path]);

  const attemptOnce = async (values: Values) => {
    const isChanged = (name: string) => values[name] !== base.current[name];
    const only = <Body extends object>(body: Body) =>
      Object.fromEntries(Object.entries(body).filter(([name]) => isChanged(name))) as Partial<Body>;
    await onSubmit(values, { isChanged, only, header: etag.current === undefined ? {} : { 'If-Match': etag.current } });
  };
  /** Takes over the version that is there now. Returns the fields that both have changed, with the other's values. */
  const compare = async (): Promise<Values> => {
    const found = of && (await readVersion<Of>(of.path));
    if (!of || !found || !form.current) return {};
    const values = valuesOf(form.current);
    const theirs: Record<string, string | undefined> = { ...of.valuesOf(found.record) };
    // The same record under a name that only the page knows.
    for (const [name, shown] of Object.entries(base.current))
      if (idAt(shown) !== undefined && idAt(shown) === idAt(theirs[name])) theirs[name] = shown;
    const both = Object.keys(values).filter(
      (name) =>
        name in theirs &&
        theirs[name] !== base.current[name] &&
        values[name] !== base.current[name] &&
        values[name] !== theirs[name],
    );
    // What somebody has not touched is not sent; it counts as theirs.
    const untouched = Object.keys(values).filter((name) => values[name] === base.current[name]);
    base.current = { ...base.current, ...theirs };
    for (const name of untouched)
      if (name in theirs && theirs[name] !== values[name]) setField(form.current, name, theirs[name]);
    etag.current = found.etag;
    return Object.fromEntries(both.map((name) => [name, theirs[name] ?? '']));
  };
  const save = async (values: Values, mayCompare: boolean): Promise<void> => {
    try {
      await attemptOnce(values);
      if (of) say(t.parts.saved);
    } catch (problem) {
      if (!of || !mayCompare || !(problem instanceof ApiError) || problem.status !== 412) throw problem;
      const both = await compare();
      setConflicts(both);
      if (Object.keys(both).length === 0 && form.current) await save(valuesOf(form.current), false);
    }
  };
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    const filledIn = event.currentTarget as HTMLFormElement;
    setBusy(true);
    setError(undefined);
    setConflicts({});
    try {
      const both = (await reading.current) ?? {};
      if (Object.keys(both).length === 0) await save(valuesOf(filledIn), true);
    } catch (problem) {
      setError(problem);
    }
    setBusy(false);
  };
  const isConflicting = Object.keys(conflicts).length > 0;
  return (
    <form ref={form} onSubmit={send}>
      <Conflicts.Provider value={conflicts}>
        <Problems.Provider value={problemsOf(error)}>{children}</Problems.Provider>
      </Conflicts.Provider>
      {isConflicting && (
        <p class="note" role="alert">
          {t.parts.somebodyElseHasChanged}
        </p>
      )}
      {error !== undefined && <Failure error={error} />}
      <div class="actions">
        {onCancel && (
          <button type="button" onClick={() => closing(onCancel)}>
            {t.common.cancel}
          </button>
        )}
        <button type="submit" class={isDangerous ? 'danger' : 'primary'} disabled={isBusy}>
          {isBusy ? t.parts.oneMoment : submit}
        </button>
      </div>
    </form>
  );
}

/** Returns the id at the end of the text of a lookup field. */
const idAt = (text: string | undefined) => /\(#(\d+)\)$/.exec(text ?? '')?.[1];

function setField(form: HTMLFormElement, name: string, value: string | undefined): void {
  const field = form.elements.namedItem(name);
  if (field instanceof HTMLInputElement && /^(checkbox|radio)$/.test(field.type)) return;
  if (field instanceof HTMLSelectElement && ![...field.options].some((option) => option.value === (value ?? '')))
    return;
  if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement || field instanceof HTMLSelectElement)
    field.value = value ?? '';
  // What shows a hidden one follows.
  if (field instanceof HTMLInputElement && field.type === 'hidden') field.dispatchEvent(new Event('input'));
}

function valuesOf(form: HTMLFormElement): Values {
  const given = [...new FormData(form)].map(([name, value]) => [name, typeof value === 'string' ? value.trim() : '']);
  return Object.fromEntries(given.map(([name, value]) => [name, value === '' ? undefined : value]));
}

/** What is wrong with which field: a part of a value, like an entry of a list, is told at the field that has it. */
function problemsOf(error: unknown): ReadonlyMap<string, string> {
  if (!(error instanceof ApiError)) return new Map();
  const taken = takenField(error);
  return new Map([
    ...error.fields.map(({ field, message }) => [field.replace(/(\[\d+\].*|\.amount)$/, ''), message] as const),
    ...(taken === undefined ? [] : [[taken, error.message] as const]),
  ]);
}

/** The field whose value another record has. */
function takenField({ reason, details }: ApiError): string | undefined {
  if (reason === 'domain_taken') return 'domains';
  return reason === 'field_value_taken' ? `fields.${(details as { field?: unknown }).field}` : undefined;
}

/** What the form around has to say about a field: what is wrong with it, and what somebody else has made of it. */
export const useNotes = (name: string) => ({
  problem: useContext(Problems).get(name),
  theirs: useContext(Conflicts)[name],
});

interface FieldProps {
  label: string;
  name: string;
  type?: 'text' | 'email' | 'tel' | 'url' | 'number' | 'date' | 'datetime-local' | 'password' | 'search' | 'color';
  value?: string | number | null;
  hint?: string | undefined;
  placeholder?: string;
  required?: boolean;
  maxLength?: number;
  min?: number | string;
  max?: number | string;
  step?: number | 'any';
  autocomplete?: string;
  /** Lines of a text that may have several. */
  rows?: number;
  /** Value and text of what can be chosen. */
  options?: readonly (readonly [value: string | number, text: string])[];
  /** Offered while somebody types. */
  suggestions?: readonly string[];
  /** Called with what is typed or chosen. */
  onType?(text: string): void;
}

/** What a field shows for a value: of a choice its text. */
const shownAs = (value: string, options: FieldProps['options']) =>
  options?.find(([key]) => String(key) === value)?.[1] ?? value;

/** A labelled field of a form, with a hint and what is wrong with it. */
export function Field({
  label,
  hint,
  rows,
  options,
  suggestions,
  onType,
  value,
  maxLength,
  type = 'text',
  ...rest
}: FieldProps) {
  const id = useId();
  const [typed, setTyped] = useState(String(value ?? ''));
  const { problem, theirs } = useNotes(rest.name);
  const described = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ') || undefined;
  const common = { ...rest, id, 'aria-describedby': described, 'aria-invalid': problem ? true : undefined };
  const onInput = ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) => {
    const text = currentTarget.value;
    if (maxLength !== undefined) {
      setTyped(text);
      const over = lengthOf(text.trim()) - maxLength;
      currentTarget.setCustomValidity(over > 0 ? t.parts.tooLong(count(over)) : '');
    }
    onType?.(text);
  };
  // Numbers and times have a direction of their own.
  const direction = /^(text|search)$/.test(type) ? userText : {};
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {options ? (
        <select {...common} onChange={({ currentTarget }) => onType?.(currentTarget.value)}>
          {options.map(([key, text]) => (
            <option key={key} value={key} selected={String(key) === String(value ?? '')}>
              {text}
            </option>
          ))}
        </select>
      ) : rows ? (
        <textarea {...common} {...userText} rows={rows} defaultValue={value ?? ''} onInput={onInput} />
      ) : (
        <input
          {...common}
          {...direction}
          type={type as 'text'}
          defaultValue={value ?? ''}
          list={suggestions && `${id}-list`}
          onInput={onInput}
        />
      )}
      {suggestions && (
        <datalist id={`${id}-list`}>
          {suggestions.map((suggestion) => (
            <option key={suggestion} value={suggestion} />
          ))}
        </datalist>
      )}
      {maxLength !== undefined && <Counter text={typed.trim()} max={maxLength} />}
      {theirs !== undefined && <Theirs field={id} text={shownAs(theirs, options)} value={theirs} />}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {problem && (
        <p class="problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
    </div>
  );
}

/** Shows what somebody else has made of a field, to take it over; else one's own value is saved. */
function Theirs({ field, text, value }: { field: string; text: string; value: string }) {
  const [isTaken, setTaken] = useState(false);
  const take = () => {
    const control = document.getElementById(field);
    if (control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement) control.value = value;
    if (control instanceof HTMLSelectElement) control.value = value;
    setTaken(true);
  };
  return (
    <p class="note conflict">
      {filled(t.parts.itIsNow, { value: <UserText text={text === '' ? '–' : text} /> })}{' '}
      <button type="button" class="small" aria-pressed={isTaken} onClick={take}>
        {t.parts.takeIt}
      </button>
    </p>
  );
}
