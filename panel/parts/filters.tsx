import type { ComponentChildren } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { place, replacePlace, withQuery } from '../app/route.ts';
import { t } from '../app/texts.ts';
import { userText } from './user-text.tsx';

/** The search field and the choices above a list; what is chosen stands in the address. */
export const Filters = ({ children }: { children: ComponentChildren }) => <search class="filters">{children}</search>;

/** What is chosen for a filter; undefined for nothing. */
export const filter = (name: string): string | undefined => place.value.query.get(name) ?? undefined;

/** Chooses for a filter, in the address. */
export function choose(name: string, value: string): void {
  const [path = '', query = ''] = withQuery({ [name]: value })
    .slice(1)
    .split('?');
  replacePlace(path, Object.fromEntries(new URLSearchParams(query)));
}

const settleMs = 300;

interface SearchFieldProps {
  label: string;
  name?: string;
  placeholder?: string;
}

/** Searches while somebody types. */
export function SearchField({ label, name = 'q', placeholder }: SearchFieldProps) {
  const id = useId();
  const chosen = filter(name) ?? '';
  const [typed, setTyped] = useState(chosen);
  const [isComposing, setComposing] = useState(false);
  // What it was trimmed to is not written over what is being typed.
  useEffect(() => setTyped((before) => (before.trim() === chosen ? before : chosen)), [chosen]);
  useEffect(() => {
    if (isComposing || typed.trim() === chosen) return;
    const timer = setTimeout(() => choose(name, typed.trim()), settleMs);
    return () => clearTimeout(timer);
  }, [typed, isComposing]);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="search"
        {...userText}
        placeholder={placeholder}
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onCompositionStart={() => setComposing(true)}
        onCompositionEnd={() => setComposing(false)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || event.isComposing) return;
          // What was searched for stays; the keys of the page work again.
          event.preventDefault();
          event.currentTarget.blur();
        }}
      />
    </div>
  );
}

interface ChoiceProps {
  label: string;
  name: string;
  /** What is shown where nothing is chosen. */
  all?: string;
  options: readonly (readonly [value: string | number, text: string])[];
}

export function Choice({ label, name, all = t.common.all, options }: ChoiceProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={filter(name) ?? ''} onChange={(event) => choose(name, event.currentTarget.value)}>
        <option value="">{all}</option>
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}
