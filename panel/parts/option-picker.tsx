import { useId, useState } from 'preact/hooks';
import type { Schema } from '../../client/index.ts';
import { t } from '../app/texts.ts';
import { Dot } from './dot.tsx';
import { listOf, nameIn } from './field-values.ts';
import { filled } from './filled.tsx';
import { useNotes } from './form.tsx';
import { UserText, userText } from './user-text.tsx';

/** From how many options on they can be searched. */
const searchedFrom = 8;

interface OptionPickerProps {
  field: Schema<'Field'>;
  value: unknown;
}

/** The options of a field to choose from, one or several, with their colors; the form has them as one value. */
export function OptionPicker({ field, value }: OptionPickerProps) {
  const { title, description, isRequired } = field;
  const id = useId();
  const name = nameIn(field);
  const isSeveral = field.type === 'multi_select';
  const labelsIn = (of: unknown): readonly string[] =>
    isSeveral ? listOf(of) : of === null || of === undefined || of === '' ? [] : [String(of)];
  const [chosen, choose] = useState(labelsIn(value));
  const [q, setQ] = useState('');
  const { problem, theirs } = useNotes(name);
  const options = field.options.filter(({ label, isArchived }) => !isArchived || labelsIn(value).includes(label));
  const shown = options.filter(({ label }) => label.toLowerCase().includes(q.trim().toLowerCase()));
  const toggle = (label: string) => {
    if (!isSeveral) return choose([label]);
    choose(chosen.includes(label) ? chosen.filter((one) => one !== label) : [...chosen, label]);
  };
  const pick = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.isComposing || q.trim() === '') return;
    event.preventDefault();
    const [first] = shown;
    if (first) toggle(first.label);
    setQ('');
  };
  return (
    <fieldset class="checks long" aria-describedby={problem && `${id}-problem`}>
      <legend class="label">{title}</legend>
      {description && <p class="hint">{description}</p>}
      {options.length >= searchedFrom && (
        <input
          type="search"
          {...userText}
          aria-label={t.parts.searchOptions}
          placeholder={t.parts.searchOptions}
          value={q}
          onInput={(event) => setQ(event.currentTarget.value)}
          onKeyDown={pick}
        />
      )}
      <div>
        {!isSeveral && !isRequired && (
          <label>
            <input type="radio" name={id} checked={chosen.length === 0} onChange={() => choose([])} />
            <span class="muted">{t.parts.none}</span>
          </label>
        )}
        {shown.map(({ label, color }) => (
          <label key={label}>
            <input
              type={isSeveral ? 'checkbox' : 'radio'}
              name={isSeveral ? undefined : id}
              checked={chosen.includes(label)}
              onChange={() => toggle(label)}
            />
            <span>
              <Dot color={color} /> <UserText text={label} />
            </span>
          </label>
        ))}
        {shown.length === 0 && <p class="hint">{t.parts.noOptionFits}</p>}
      </div>
      <input
        type="hidden"
        name={name}
        value={chosen.length === 0 ? '' : isSeveral ? JSON.stringify(chosen) : chosen[0]}
      />
      {theirs !== undefined && (
        <p class="note conflict">
          {filled(t.parts.itIsNow, {
            value: <UserText text={labelsIn(isSeveral && theirs ? JSON.parse(theirs) : theirs).join(', ') || '–'} />,
          })}{' '}
          <button
            type="button"
            class="small"
            onClick={() => choose(labelsIn(isSeveral && theirs ? JSON.parse(theirs) : theirs))}
          >
            {t.parts.takeIt}
          </button>
        </p>
      )}
      {problem && (
        <p class="problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
    </fieldset>
  );
}
