import { useEffect, useState } from 'preact/hooks';
import { useLoaded } from '../../app/load.ts';
import { t } from '../../app/texts.ts';
import { Dot } from '../dot.tsx';
import { UserText, userText } from '../user-text.tsx';
import type { FilterField } from './fields.ts';
import { findRecords, type Option, type Records } from './names.ts';
import { shownValue } from './sentence.tsx';

interface SetPickerProps {
  field: FilterField;
  chosen: readonly unknown[];
  records: Records;
  onChange(chosen: readonly unknown[]): void;
}

/** From how many options on they can be searched. */
const searchedFrom = 8;
const settleMs = 250;

/** Returns the options with what is chosen and is not among them first. */
function withChosen(options: readonly Option[], chosen: readonly unknown[], known: readonly Option[]): Option[] {
  const missing = chosen.filter((value) => !options.some((option) => option.value === value));
  const named = missing.map((value) => known.find((option) => option.value === value));
  return [...named.filter((option) => option !== undefined), ...options];
}

/** Values to tick, with their colors: choices, tags, people, and records that are found by a part of their name. */
export function SetPicker({ field, chosen, records, onChange }: SetPickerProps) {
  const [typed, setTyped] = useState('');
  const [q, setQ] = useState('');
  /** Whatever was shown, so that it keeps its name. */
  const [seen, setSeen] = useState<readonly Option[]>([]);
  useEffect(() => {
    const timer = setTimeout(() => setQ(typed.trim()), settleMs);
    return () => clearTimeout(timer);
  }, [typed]);
  const known = field.options.length > 0 ? field.options : records.choices.get(field.kind);
  const isSearched = known === undefined;
  const found = useLoaded(
    async (signal) => (isSearched ? findRecords(field.kind, q || undefined, signal) : []),
    [isSearched, q],
  );
  useEffect(() => setSeen((before) => [...before, ...(found.data ?? [])]), [found.data]);
  const named = chosen.map((value) => ({
    value: value as string | number,
    label: shownValue(field, value, records).text,
  }));
  const fitting = (known ?? found.data ?? []).filter(
    ({ label }) => isSearched || label.toLowerCase().includes(typed.trim().toLowerCase()),
  );
  const options = withChosen(fitting, typed.trim() === '' ? chosen : [], [...seen, ...named]);
  const toggle = (value: string | number) =>
    onChange(chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value]);
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.isComposing || typed.trim() === '') return;
    event.preventDefault();
    const [first] = fitting;
    if (first) toggle(first.value);
    setTyped('');
  };
  return (
    <fieldset class="checks">
      <legend class="hidden">{field.title}</legend>
      {(isSearched || known.length >= searchedFrom) && (
        <input
          type="search"
          data-first
          {...userText}
          autocomplete="off"
          aria-label={t.filters.search}
          placeholder={t.filters.search}
          value={typed}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          onKeyDown={press}
        />
      )}
      <div class="choices">
        {options.map(({ value, label, color }) => (
          <label key={value}>
            <input type="checkbox" checked={chosen.includes(value)} onChange={() => toggle(value)} />
            <span>
              {color && <Dot color={color} />} <UserText text={label} />
            </span>
          </label>
        ))}
        {options.length === 0 && !found.isLoading && <p class="hint">{t.filters.nothingFits}</p>}
      </div>
    </fieldset>
  );
}
