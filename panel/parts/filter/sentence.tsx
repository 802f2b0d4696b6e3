import type { ComponentChildren } from 'preact';
import { count, money } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { Dot } from '../dot.tsx';
import { isMoney } from '../field-values.ts';
import { UserText } from '../user-text.tsx';
import { type FilterField, fieldNamed, operatorText } from './fields.ts';
import type { Records } from './names.ts';
import { timeText } from './times.ts';
import { type Condition, conditionsIn, type Group, isGroup, type Node } from './tree.ts';

/** What sentences are made with. */
export interface Known {
  fields: readonly FilterField[];
  records: Records;
}

interface Shown {
  text: string;
  color?: string | undefined;
}

/** Returns a value of a filter as people know it. */
export function shownValue(field: FilterField | undefined, value: unknown, { names, choices }: Records): Shown {
  if (value === undefined || value === null) return { text: '…' };
  if (field === undefined) return { text: typeof value === 'object' ? JSON.stringify(value) : String(value) };
  const { kind } = field;
  if (kind === 'time' || kind === 'date') return { text: timeText(value, field.isDay) };
  if (kind === 'boolean') return { text: value === true ? t.parts.yes : t.parts.no };
  if (isMoney(value)) return { text: money(value.amount, value.currency) };
  if (kind === 'number' && typeof value === 'number') return { text: count(value) };
  const option = [...field.options, ...(choices.get(kind) ?? [])].find(
    (one) => one.value === value || String(one.value).toLowerCase() === String(value).toLowerCase(),
  );
  if (option) return { text: option.label, color: option.color };
  return { text: names.get(kind)?.get(Number(value)) ?? (typeof value === 'number' ? `#${value}` : String(value)) };
}

const valuesOf = ({ value }: Condition): readonly unknown[] => (Array.isArray(value) ? value : [value]);

/** The words of a condition: of the field, of the operator, and of each value. */
function partsOf(condition: Condition, { fields, records }: Known) {
  const field = fieldNamed(fields, condition.field);
  const values = valuesOf(condition);
  const hasValue = condition.op !== 'isSet' && condition.op !== 'isNotSet';
  return {
    title: field?.title ?? condition.field,
    operator: operatorText(field, condition.op, values.length === 1),
    values: hasValue ? values.map((value) => shownValue(field, value, records)) : [],
    between: condition.op === 'between' ? ` ${t.filters.and} ` : ', ',
  };
}

/** Returns a condition or a group as a sentence. */
export function sentenceOf(node: Node, known: Known, isInner = false): string {
  if (!isGroup(node)) {
    const { title, operator, values, between } = partsOf(node, known);
    return [title, operator, values.map(({ text }) => text).join(between)].filter(Boolean).join(' ');
  }
  const text = node.items
    .filter((item) => conditionsIn(item).length > 0)
    .map((item) => sentenceOf(item, known, true))
    .join(` ${t.filters[node.join]} `);
  const isWrapped = node.isNot || (isInner && node.items.length > 1);
  return `${node.isNot ? `${t.filters.not} ` : ''}${isWrapped ? `(${text})` : text}`;
}

/** A condition or a group in words; what people have written runs in its own direction. */
export function Sentence({ node, known, isInner = false }: { node: Node; known: Known; isInner?: boolean }) {
  return isGroup(node) ? (
    <GroupWords group={node} known={known} isInner={isInner} />
  ) : (
    <ConditionWords condition={node} known={known} />
  );
}

function ConditionWords({ condition, known }: { condition: Condition; known: Known }) {
  const { title, operator, values, between } = partsOf(condition, known);
  return (
    <span>
      <UserText text={title} /> <span class="muted">{operator}</span>
      {values.length > 0 && ' '}
      {values.map(({ text, color }, at) => (
        <b key={at}>
          {at > 0 && between}
          {color && <Dot color={color} />} <UserText text={text} />
        </b>
      ))}
    </span>
  );
}

function GroupWords({ group, known, isInner }: { group: Group; known: Known; isInner: boolean }) {
  const items = group.items.filter((item) => conditionsIn(item).length > 0);
  const isWrapped = group.isNot || (isInner && items.length > 1);
  const words: ComponentChildren[] = items.map((item, at) => (
    <span key={item.id}>
      {at > 0 && <span class="muted"> {t.filters[group.join]} </span>}
      <Sentence node={item} known={known} isInner />
    </span>
  ));
  return (
    <span>
      {group.isNot && <span class="muted">{t.filters.not} </span>}
      {isWrapped && '('}
      {words}
      {isWrapped && ')'}
    </span>
  );
}
