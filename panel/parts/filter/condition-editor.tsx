import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { t } from '../../app/texts.ts';
import { UserText } from '../user-text.tsx';
import { FieldPicker } from './field-picker.tsx';
import { type FilterField, fieldNamed, isSet, type Operator, operatorsOf, operatorText } from './fields.ts';
import { focusFirst } from './popover.tsx';
import type { Known } from './sentence.tsx';
import { type Condition, newCondition } from './tree.ts';
import { ValueField } from './value-field.tsx';

interface ConditionEditorProps {
  /** Undefined for a new one. */
  condition: Condition | undefined;
  known: Known;
  /** What the API says is wrong with it. */
  problem?: string | undefined;
  onApply(condition: Condition): void;
  onRemove?: () => void;
}

/** Returns a new condition of a field, with the operator that is used most. */
function begun(field: FilterField): Condition {
  const [op = 'isSet'] = operatorsOf(field);
  return newCondition({ field: field.name, op, ...(field.kind === 'boolean' && { value: true }) });
}

const hasNoValue = (op: Operator) => op === 'isSet' || op === 'isNotSet';
const isMany = (op: Operator) => op === 'in' || op === 'notIn' || op === 'between';

/** Returns a condition with another operator, and its value as far as that takes it. */
function withOperator(condition: Condition, op: Operator): Condition {
  const { value, ...rest } = condition;
  if (hasNoValue(op)) return { ...rest, op };
  if (isMany(op) === isMany(condition.op))
    return { ...rest, op, value: op === 'between' || condition.op === 'between' ? undefined : value };
  return { ...rest, op, value: isMany(op) ? (value === undefined ? undefined : [value]) : (value as unknown[])?.[0] };
}

/** Returns a condition with the operators that the editor has for fields of which some of a set are named. */
function edited(condition: Condition, field: FilterField | undefined): Condition {
  const several = ({ eq: 'in', ne: 'notIn' } as const)[condition.op as 'eq' | 'ne'];
  return field && isSet(field) && several ? withOperator(condition, several) : condition;
}

function isComplete({ op, value }: Condition): boolean {
  if (hasNoValue(op)) return true;
  if (!Array.isArray(value)) return value !== undefined;
  return value.length >= (op === 'between' ? 2 : 1) && value.every((one) => one !== undefined);
}

/** A condition: its field, how it compares, and with what. */
export function ConditionEditor({ condition, known, problem, onApply, onRemove }: ConditionEditorProps) {
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  const [draft, setDraft] = useState(() => condition && edited(condition, fieldNamed(known.fields, condition.field)));
  const field = draft && fieldNamed(known.fields, draft.field);
  const isChoosing = draft === undefined || field === undefined;
  useLayoutEffect(() => {
    if (!isChoosing) focusFirst(form.current);
  }, [draft?.field, draft?.op]);
  if (isChoosing)
    return (
      <>
        {draft && <p class="problem">{t.filters.gone(draft.field)}</p>}
        <FieldPicker
          fields={known.fields}
          onChoose={(chosen) => setDraft({ ...begun(chosen), ...(condition && { id: condition.id }) })}
        />
        {onRemove && (
          <div class="actions end">
            <button type="button" onClick={onRemove}>
              {t.filters.dropIt}
            </button>
          </div>
        )}
      </>
    );
  const apply = (event: Event) => {
    event.preventDefault();
    event.stopPropagation();
    if (isComplete(draft)) onApply(draft);
  };
  return (
    <form ref={form} onSubmit={apply}>
      <div class="row">
        <b>
          <UserText text={field.title} />
        </b>
        <button type="button" class="link" onClick={() => setDraft(undefined)}>
          {t.filters.change}
        </button>
      </div>
      <div class="field">
        <label for={id}>{t.filters.howItCompares}</label>
        <select
          id={id}
          value={draft.op}
          onChange={({ currentTarget }) => setDraft(withOperator(draft, currentTarget.value as Operator))}
        >
          {operatorsOf(field, draft.op).map((operator) => (
            <option key={operator} value={operator}>
              {operatorText(field, operator)}
            </option>
          ))}
        </select>
      </div>
      <ValueField
        key={draft.op}
        field={field}
        condition={draft}
        records={known.records}
        onChange={(value) => setDraft({ ...draft, value })}
      />
      {field.kind === 'time' && !hasNoValue(draft.op) && <p class="hint">{t.filters.relativeDays}</p>}
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <div class="actions end">
        {onRemove && (
          <button type="button" onClick={onRemove}>
            {t.filters.dropIt}
          </button>
        )}
        <button type="submit" class="primary" disabled={!isComplete(draft)}>
          {t.filters.apply}
        </button>
      </div>
    </form>
  );
}
