import { type ComponentChildren, createContext } from 'preact';
import { useContext, useId, useState } from 'preact/hooks';
import { ApiError } from '../../client/index.ts';
import { t } from '../app/texts.ts';
import { Failure } from './failure.tsx';

const Problems = createContext<ReadonlyMap<string, string>>(new Map());

/** The values of a form by the names of its fields, trimmed; undefined for what is empty. */
export type Values = Readonly<Record<string, string | undefined>>;

interface FormProps {
  /** Does it; what it raises is shown, at the fields that it names. */
  onSubmit(values: Values): Promise<unknown>;
  submit: string;
  /** Shows a second button that gives up. */
  onCancel?: () => void;
  isDangerous?: boolean;
  children?: ComponentChildren;
}

export function Form({ onSubmit, submit, onCancel, isDangerous = false, children }: FormProps) {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    setBusy(true);
    setError(undefined);
    try {
      await onSubmit(valuesOf(form));
    } catch (problem) {
      setError(problem);
    }
    setBusy(false);
  };
  return (
    <form onSubmit={send}>
      <Problems.Provider value={problemsOf(error)}>{children}</Problems.Provider>
      {error !== undefined && <Failure error={error} />}
      <div class="actions">
        {onCancel && (
          <button type="button" onClick={onCancel}>
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

function valuesOf(form: HTMLFormElement): Values {
  const given = [...new FormData(form)].map(([name, value]) => [name, typeof value === 'string' ? value.trim() : '']);
  return Object.fromEntries(given.map(([name, value]) => [name, value === '' ? undefined : value]));
}

const problemsOf = (error: unknown) =>
  new Map(error instanceof ApiError ? error.fields.map(({ field, message }) => [field, message]) : []);

interface FieldProps {
  label: string;
  name: string;
  type?: 'text' | 'email' | 'tel' | 'url' | 'number' | 'date' | 'datetime-local' | 'password' | 'search';
  value?: string | number | null;
  hint?: string;
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
  onType?(text: string): void;
}

/** A labelled field of a form, with a hint and what is wrong with it. */
export function Field({ label, hint, rows, options, suggestions, onType, value, type = 'text', ...rest }: FieldProps) {
  const id = useId();
  const problem = useContext(Problems).get(rest.name);
  const described = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ') || undefined;
  const common = { ...rest, id, 'aria-describedby': described, 'aria-invalid': problem ? true : undefined };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {options ? (
        <select {...common}>
          {options.map(([key, text]) => (
            <option key={key} value={key} selected={String(key) === String(value ?? '')}>
              {text}
            </option>
          ))}
        </select>
      ) : rows ? (
        <textarea {...common} rows={rows} defaultValue={value ?? ''} />
      ) : (
        <input
          {...common}
          type={type as 'text'}
          defaultValue={value ?? ''}
          list={suggestions && `${id}-list`}
          onInput={onType && ((event) => onType(event.currentTarget.value))}
        />
      )}
      {suggestions && (
        <datalist id={`${id}-list`}>
          {suggestions.map((suggestion) => (
            <option key={suggestion} value={suggestion} />
          ))}
        </datalist>
      )}
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
