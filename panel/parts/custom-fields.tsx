import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Schema } from '../../client/index.ts';
import { api } from '../app/api.ts';
import { touching } from '../app/live.ts';
import { useLoaded } from '../app/load.ts';
import { memberName, type Names } from '../app/names.ts';
import { linkTo } from '../app/route.ts';
import { count, dayDate, exactTime, money } from '../app/show.ts';
import { t } from '../app/texts.ts';
import { Badge } from './badge.tsx';
import { Checks } from './checks.tsx';
import { ContactField } from './contact-field.tsx';
import { formValues, isMoney, listOf, valueIn } from './field-values.ts';
import { Field } from './form.tsx';
import { InPlace } from './in-place.tsx';
import { localTime } from './local-time.ts';
import { UserText } from './user-text.tsx';

type Definition = Schema<'Field'>;
type Known = Readonly<Record<string, unknown>>;

interface CustomFieldsProps {
  definitions: readonly Definition[];
  /** Where the values are read: `/v1/contacts/7/fields`. */
  path: string;
  values: Known;
  names: Names;
  isFixed: boolean;
  /** Changes some of them. */
  save(fields: Record<string, unknown>, header: { 'If-Match'?: string }): Promise<unknown>;
}

/** The custom fields of a record, edited in place by their types; nothing where the workspace has none. */
export function CustomFields({ definitions, path, values, names, isFixed, save }: CustomFieldsProps) {
  if (definitions.length === 0) return null;
  return (
    <section class="card" aria-labelledby="custom-fields">
      <h2 id="custom-fields">{t.parts.customFields}</h2>
      <dl class="details">
        {definitions.map((field) => (
          <InPlace
            key={field.slug}
            label={field.title}
            shown={shownValue(field, values[field.slug], names)}
            isLink={/^(url|email|phone|contact)$/.test(field.type)}
            isFixed={isFixed || !isEditable(field.type)}
            of={{ path, valuesOf: (of: Schema<'FieldValues'>) => formValues(field, of.fields[field.slug]) }}
            onSave={(given, { header }) => save({ [field.slug]: valueIn(field, given, values[field.slug]) }, header)}
          >
            <Input field={field} value={values[field.slug]} names={names} />
          </InPlace>
        ))}
      </dl>
    </section>
  );
}

/** The custom fields that a kind of records has, in their order. */
export function useFields(object: 'contact' | 'deal'): readonly Definition[] {
  const fields = useLoaded(
    (signal) => api.get('/v1/fields', { signal, params: { query: { object, limit: 100 } } }),
    [object],
    touching('field'),
  );
  return (fields.data?.items ?? []).filter(({ isArchived }) => !isArchived).sort((a, b) => a.position - b.position);
}

/** Types of one line of text, and how a field takes them. */
const lines = { text: 'text', url: 'url', email: 'email', phone: 'tel', number: 'number', date: 'date' } as const;
const isLine = (type: string): type is keyof typeof lines => type in lines;
const isEditable = (type: string) =>
  isLine(type) || /^(long_text|money|checkbox|datetime|select|multi_select|member|contact)$/.test(type);

/** Shows a value by the type of its field. */
function shownValue({ type }: Definition, value: unknown, names: Names): ComponentChildren {
  if (value === undefined || value === null || value === '') return undefined;
  const text = String(value);
  switch (type) {
    case 'number':
      return count(Number(value));
    case 'money':
      return isMoney(value) ? money(value.amount, value.currency) : undefined;
    case 'checkbox':
      return value === true ? t.parts.yes : t.parts.no;
    case 'date':
      return dayDate(text);
    case 'datetime':
      return exactTime(text);
    case 'select':
      return <Badge>{text}</Badge>;
    case 'multi_select':
      return listOf(value).length === 0 ? undefined : listOf(value).map((label) => <Badge key={label}>{label}</Badge>);
    case 'member':
      return memberName(names, Number(value));
    case 'contact':
      return <a href={linkTo(`/contacts/${text}`)}>#{text}</a>;
    case 'deal':
      return <a href={linkTo(`/deals/${text}`)}>#{text}</a>;
    case 'url':
      return /^https?:/i.test(text) ? (
        <a href={text} target="_blank" rel="noopener noreferrer">
          {text}
        </a>
      ) : (
        text
      );
    case 'phone':
      return <a href={`tel:${text.replaceAll(/[^\d+]/g, '')}`}>{text}</a>;
    case 'email':
      return <a href={`mailto:${encodeURIComponent(text)}`}>{text}</a>;
    default:
      return <UserText text={typeof value === 'object' ? JSON.stringify(value) : text} />;
  }
}

function Input({ field, value, names }: { field: Definition; value: unknown; names: Names }) {
  const { type, title, description, isRequired, options } = field;
  const common = { label: title, name: 'value', required: isRequired, ...(description && { hint: description }) };
  const text = typeof value === 'string' || typeof value === 'number' ? value : undefined;
  const usable = options.filter(({ label, isArchived }) => !isArchived || label === value);
  switch (type) {
    case 'long_text':
      return <Field {...common} rows={4} maxLength={10_000} value={text} />;
    case 'money':
      return (
        <div class="two">
          <Field {...common} type="number" step="any" value={isMoney(value) ? value.amount : undefined} />
          <Field
            label={t.common.currency}
            name="currency"
            value={isMoney(value) ? value.currency : undefined}
            maxLength={3}
          />
        </div>
      );
    case 'checkbox':
      return (
        <Field
          {...common}
          value={typeof value === 'boolean' ? String(value) : ''}
          options={[
            ['', '–'],
            ['true', t.parts.yes],
            ['false', t.parts.no],
          ]}
        />
      );
    case 'datetime':
      return (
        <Field {...common} type="datetime-local" value={typeof value === 'string' ? localTime(value) : undefined} />
      );
    case 'select':
      return (
        <Field {...common} value={text} options={[['', '–'], ...usable.map(({ label }) => [label, label] as const)]} />
      );
    case 'multi_select':
      return <Several label={title} options={options} chosen={listOf(value)} />;
    case 'member':
      return <Field {...common} value={text} options={[['', t.common.nobody], ...names]} />;
    case 'contact':
      return (
        <ContactField
          label={title}
          name="value"
          required={isRequired}
          value={text === undefined ? undefined : { id: Number(text), name: null }}
        />
      );
    default:
      return isLine(type) ? (
        <Field {...common} type={lines[type]} value={text} {...(type === 'number' && { step: 'any' })} />
      ) : null;
  }
}

interface SeveralProps {
  label: string;
  options: Definition['options'];
  chosen: readonly string[];
}

/** Options to tick; the form has them as one value. */
function Several({ label, options, chosen }: SeveralProps) {
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set(chosen));
  const usable = options.filter((option) => !option.isArchived || chosen.includes(option.label));
  return (
    <>
      <Checks
        legend={label}
        options={usable.map((option) => ({ value: option.label, text: option.label }))}
        chosen={ticked}
        onChange={setTicked}
      />
      <input type="hidden" name="value" value={JSON.stringify([...ticked])} />
    </>
  );
}
