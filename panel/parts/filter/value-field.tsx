import { useId } from 'preact/hooks';
import { current } from '../../app/session.ts';
import { t } from '../../app/texts.ts';
import { isMoney } from '../field-values.ts';
import { userText } from '../user-text.tsx';
import { type FilterField, isSet } from './fields.ts';
import type { Records } from './names.ts';
import { SetPicker } from './set-picker.tsx';
import { TimeField } from './time-field.tsx';
import type { Condition } from './tree.ts';

interface ValueFieldProps {
  field: FilterField;
  condition: Condition;
  records: Records;
  onChange(value: unknown): void;
}

const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value];

/** What a condition compares with, by the kind of its field; nothing where the operator says all. */
export function ValueField({ field, condition: { op, value }, records, onChange }: ValueFieldProps) {
  if (op === 'isSet' || op === 'isNotSet') return null;
  if (isSet(field)) return <SetPicker field={field} chosen={listOf(value)} records={records} onChange={onChange} />;
  if (op === 'in' || op === 'notIn') return <Lines field={field} values={listOf(value)} onChange={onChange} />;
  if (op !== 'between') return <One field={field} value={value} onChange={onChange} />;
  const [from, to] = listOf(value);
  return (
    <>
      <One field={field} value={from} onChange={(one) => onChange([one, to])} isStart />
      <One field={field} value={to} onChange={(one) => onChange([from, one])} isEnd />
    </>
  );
}

interface OneProps {
  field: FilterField;
  value: unknown;
  isStart?: boolean;
  isEnd?: boolean;
  onChange(value: unknown): void;
}

function One({ field, value, isStart = false, isEnd = false, onChange }: OneProps) {
  const id = useId();
  const label = isStart ? t.filters.from : isEnd ? t.filters.to : t.filters.value;
  switch (field.kind) {
    case 'time':
    case 'date':
      return (
        <TimeField
          label={isStart ? t.filters.from : isEnd ? t.filters.until : t.filters.when}
          dateLabel={isEnd ? t.filters.dateUntil : t.filters.date}
          value={value}
          isDay={field.isDay}
          isEnd={isEnd}
          onChange={onChange}
        />
      );
    case 'boolean':
      return <YesOrNo value={value} onChange={onChange} />;
    case 'money':
      return <MoneyField label={label} value={value} onChange={onChange} />;
    case 'number':
      return (
        <div class="field">
          <label for={id}>{label}</label>
          <input
            id={id}
            data-first={isEnd ? undefined : true}
            type="number"
            step="any"
            value={typeof value === 'number' ? value : ''}
            onInput={({ currentTarget: { valueAsNumber: number } }) =>
              onChange(Number.isNaN(number) ? undefined : number)
            }
          />
        </div>
      );
    default:
      return (
        <div class="field">
          <label for={id}>{label}</label>
          <input
            id={id}
            data-first
            {...userText}
            value={typeof value === 'string' ? value : ''}
            onInput={({ currentTarget }) => onChange(currentTarget.value === '' ? undefined : currentTarget.value)}
          />
        </div>
      );
  }
}

function YesOrNo({ value, onChange }: Pick<OneProps, 'value' | 'onChange'>) {
  const name = useId();
  return (
    <fieldset class="checks">
      <legend class="hidden">{t.filters.value}</legend>
      {[true, false].map((one) => (
        <label key={String(one)}>
          <input
            type="radio"
            name={name}
            data-first={one || undefined}
            checked={value === one}
            onChange={() => onChange(one)}
          />
          <span>{one ? t.parts.yes : t.parts.no}</span>
        </label>
      ))}
    </fieldset>
  );
}

function MoneyField({ label, value, onChange }: Pick<OneProps, 'value' | 'onChange'> & { label: string }) {
  const id = useId();
  const given = isMoney(value) ? value : { amount: Number.NaN, currency: current.value?.workspace.currency ?? '' };
  const change = (to: Partial<typeof given>) => {
    const changed = { ...given, ...to };
    onChange(Number.isNaN(changed.amount) ? undefined : changed);
  };
  return (
    <div class="two">
      <div class="field">
        <label for={id}>{label}</label>
        <input
          id={id}
          data-first
          type="number"
          step="any"
          value={Number.isNaN(given.amount) ? '' : given.amount}
          onInput={({ currentTarget }) => change({ amount: currentTarget.valueAsNumber })}
        />
      </div>
      <div class="field">
        <label for={`${id}-currency`}>{t.common.currency}</label>
        <input
          id={`${id}-currency`}
          maxLength={3}
          value={given.currency}
          onInput={({ currentTarget }) => change({ currency: currentTarget.value.toUpperCase() })}
        />
      </div>
    </div>
  );
}

/** Several texts or numbers, one in each line. */
function Lines({
  field,
  values,
  onChange,
}: {
  field: FilterField;
  values: readonly unknown[];
  onChange(value: unknown): void;
}) {
  const id = useId();
  const read = (line: string) => (field.kind === 'number' ? Number(line) : line);
  return (
    <div class="field">
      <label for={id}>{t.filters.value}</label>
      <textarea
        id={id}
        data-first
        rows={4}
        {...userText}
        defaultValue={values.map(String).join('\n')}
        onInput={({ currentTarget }) =>
          onChange(
            currentTarget.value
              .split('\n')
              .map((line) => line.trim())
              .filter(Boolean)
              .map(read),
          )
        }
      />
      <p class="hint">{t.filters.oneALine}</p>
    </div>
  );
}
