import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { t } from '../../app/texts.ts';
import { UserText, userText } from '../user-text.tsx';
import { type FilterField, fieldNamed } from './fields.ts';

interface FieldPickerProps {
  fields: readonly FilterField[];
  onChoose(field: FilterField): void;
}

const fold = (text: string) => text.trim().toLowerCase();

/** Returns the fields whose title or name has what is typed; also a key of the metadata. */
function fitting(fields: readonly FilterField[], typed: string): FilterField[] {
  const q = fold(typed);
  const found = fields.filter(({ title, name }) => fold(title).includes(q) || fold(name).includes(q));
  const begins = ({ title }: FilterField) => Number(fold(title).startsWith(q));
  const key = q === '' ? undefined : fieldNamed(fields, `metadata.${typed.trim().replace(/^metadata\.?\s*/i, '')}`);
  return [...found.sort((one, other) => begins(other) - begins(one)), ...(key ? [key] : [])];
}

/** Fields to choose from, searched by typing, worked by arrow keys and Enter. */
export function FieldPicker({ fields, onChoose }: FieldPickerProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const found = fitting(fields, typed);
  const current = found[Math.min(at, found.length - 1)];
  useLayoutEffect(() => input.current?.focus(), []);
  useEffect(() => list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' }), [at]);
  const press = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key];
    if (event.key === 'Enter' && current) {
      event.preventDefault();
      onChoose(current);
    } else if (to !== undefined && found.length > 0) {
      event.preventDefault();
      setAt((to + found.length) % found.length);
    }
  };
  return (
    <div class="field">
      <label for={id}>{t.filters.chooseAField}</label>
      <input
        ref={input}
        id={id}
        data-first
        role="combobox"
        aria-autocomplete="list"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={current && `${id}-${current.name}`}
        autocomplete="off"
        {...userText}
        placeholder={t.filters.searchFields}
        value={typed}
        onInput={({ currentTarget }) => {
          setTyped(currentTarget.value);
          setAt(0);
        }}
        onKeyDown={press}
      />
      <div ref={list} id={`${id}-list`} role="listbox" aria-label={t.filters.chooseAField} class="choices">
        {found.map((field) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the field above keeps the focus and its keys work
          // biome-ignore lint/a11y/useKeyWithClickEvents: as above
          <div
            key={field.name}
            id={`${id}-${field.name}`}
            role="option"
            aria-selected={field === current}
            onClick={() => onChoose(field)}
          >
            <UserText text={field.title} />
          </div>
        ))}
      </div>
      {found.length === 0 && <p class="hint">{t.filters.noFieldFits}</p>}
    </div>
  );
}
