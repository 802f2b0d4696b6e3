import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { Schema } from '../../client/index.ts';
import { api } from '../app/api.ts';
import { everyPage } from '../app/every-page.ts';
import { touching } from '../app/live.ts';
import { useLoaded } from '../app/load.ts';
import { memberName, type Names, useNames } from '../app/names.ts';
import { linkTo } from '../app/route.ts';
import { current } from '../app/session.ts';
import { count, dayDate, exactTime, money } from '../app/show.ts';
import { t } from '../app/texts.ts';
import { attempt } from '../app/toasts.ts';
import { Address } from './address.tsx';
import { Badge } from './badge.tsx';
import { CompanyField } from './company-field.tsx';
import { ContactField } from './contact-field.tsx';
import { DealField } from './deal-field.tsx';
import { Dot } from './dot.tsx';
import { currencyIn, formValues, isMoney, isRecord, listOf, nameIn, valueIn } from './field-values.ts';
import { Field } from './form.tsx';
import { InPlace } from './in-place.tsx';
import { localTime } from './local-time.ts';
import { OptionPicker } from './option-picker.tsx';
import { UserText } from './user-text.tsx';

export { newValues } from './field-values.ts';

type Definition = Schema<'Field'>;
type Known = Readonly<Record<string, unknown>>;
/** Names of the records that are values. */
type NamesByType = { member: Names } & Partial<Record<'contact' | 'company' | 'deal', Names>>;

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
export function CustomFields({ definitions, path, values, names: member, isFixed, save }: CustomFieldsProps) {
  const id = useId();
  const idsOf = (type: string) =>
    definitions.flatMap((field) => (field.type === type ? Number(values[field.slug] ?? 0) || null : null));
  const names: NamesByType = {
    member,
    contact: useNames('contact', idsOf('contact')),
    company: useNames('company', idsOf('company')),
    deal: useNames('deal', idsOf('deal')),
  };
  if (definitions.length === 0) return null;
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>{t.parts.customFields}</h2>
      <dl class="details">
        {definitions.map((field) =>
          field.type === 'checkbox' && !isFixed ? (
            <Tick key={field.slug} field={field} isOn={values[field.slug] === true} save={save} />
          ) : (
            <InPlace
              key={field.slug}
              label={field.title}
              shown={shownValue(field, values[field.slug], names)}
              isLink={/^(url|email|phone|contact|company|deal)$/.test(field.type)}
              isFixed={isFixed || !isEditable(field.type)}
              of={{ path, valuesOf: (of: Schema<'FieldValues'>) => formValues(field, of.fields[field.slug]) }}
              onSave={(given, { header }) => save({ [field.slug]: valueIn(field, given, values[field.slug]) }, header)}
            >
              <Input field={field} value={values[field.slug]} names={names} />
            </InPlace>
          ),
        )}
      </dl>
    </section>
  );
}

interface TickProps {
  field: Definition;
  isOn: boolean;
  save: CustomFieldsProps['save'];
}

/** A box that is ticked where it is. */
function Tick({ field: { slug, title }, isOn, save }: TickProps) {
  const id = useId();
  /** The choice that is being saved: whatever else changes on the page leaves it. */
  const [chosen, setChosen] = useState<boolean>();
  const set = async (to: boolean) => {
    setChosen(to);
    await save({ [slug]: to }, {}).finally(() => setChosen(undefined));
  };
  return (
    <div>
      <dt>
        <label for={id}>{title}</label>
      </dt>
      <dd class="value">
        <input
          id={id}
          type="checkbox"
          checked={chosen ?? isOn}
          onChange={({ currentTarget: { checked } }) =>
            void attempt(() => set(checked), { said: t.parts.saved, undo: () => set(!checked) })
          }
        />
      </dd>
    </div>
  );
}

/** The custom fields that a kind of records has, in their order. */
export function useFields(object: 'contact' | 'company' | 'deal' | 'task'): readonly Definition[] {
  const fields = useLoaded(
    (signal) =>
      everyPage((after: number | undefined) =>
        api.get('/v1/fields', { signal, params: { query: { object, limit: 100, after } } }),
      ),
    [object],
    touching('field'),
  );
  return [...(fields.data?.items ?? [])].sort((a, b) => a.position - b.position);
}

interface NewFieldsProps {
  definitions: readonly Definition[];
  names?: Names;
}

/** In the form of a new record: the custom fields that it must have. */
export const NewFields = ({ definitions, names = new Map() }: NewFieldsProps) => (
  <>
    {definitions
      .filter(({ isRequired }) => isRequired)
      .map((field) => (
        <Input key={field.slug} field={field} value={undefined} names={{ member: names }} />
      ))}
  </>
);

/** Types of one line of text, and how a field takes them. */
const lines = { text: 'text', url: 'url', email: 'email', phone: 'tel', number: 'number', date: 'date' } as const;
const isLine = (type: string): type is keyof typeof lines => type in lines;
const isEditable = (type: string) =>
  isLine(type) || isRecord(type) || /^(long_text|money|datetime|select|multi_select|member)$/.test(type);

const Option = ({ field, label }: { field: Definition; label: string }) => {
  const option = field.options.find((one) => one.label === label);
  return (
    <Badge>
      {option && <Dot color={option.color} />} <UserText text={label} />
    </Badge>
  );
};

/** Shows a value by the type of its field; undefined for none. */
export function shownValue(field: Definition, value: unknown, names: NamesByType): ComponentChildren {
  const { type } = field;
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
      return <Option field={field} label={text} />;
    case 'multi_select':
      return listOf(value).length === 0
        ? undefined
        : listOf(value).map((label) => <Option key={label} field={field} label={label} />);
    case 'member':
      return memberName(names.member, Number(value));
    case 'contact':
      return <Linked path={`/contacts/${text}`} name={names.contact?.get(Number(value)) ?? `#${text}`} />;
    case 'company':
      return <Linked path={`/companies/${text}`} name={names.company?.get(Number(value)) ?? `#${text}`} />;
    case 'deal':
      return <Linked path={`/deals/${text}`} name={names.deal?.get(Number(value)) ?? `#${text}`} />;
    case 'url':
      return /^https?:/i.test(text) ? (
        <a href={text} target="_blank" rel="noopener noreferrer">
          <Address text={text} />
        </a>
      ) : (
        text
      );
    case 'phone':
      return <a href={`tel:${text.replaceAll(/[^\d+]/g, '')}`}>{text}</a>;
    case 'email':
      return (
        <a href={`mailto:${encodeURIComponent(text)}`}>
          <Address text={text} />
        </a>
      );
    case 'long_text':
      return (
        <span class="text">
          <UserText text={text} />
        </span>
      );
    default:
      return <UserText text={typeof value === 'object' ? JSON.stringify(value) : text} />;
  }
}

const Linked = ({ path, name }: { path: string; name: string }) => (
  <a href={linkTo(path)}>
    <UserText text={name} />
  </a>
);

function Input({ field, value, names }: { field: Definition; value: unknown; names: NamesByType }) {
  const { type, title, description, isRequired } = field;
  const name = nameIn(field);
  const common = { label: title, name, required: isRequired, ...(description && { hint: description }) };
  const text = typeof value === 'string' || typeof value === 'number' ? value : undefined;
  const id = Number(value ?? 0);
  switch (type) {
    case 'text':
      return <Field {...common} maxLength={500} value={text} />;
    case 'long_text':
      return <Field {...common} rows={4} maxLength={10_000} value={text} />;
    case 'money':
      return (
        <div class="two">
          <Field {...common} type="number" step="any" value={isMoney(value) ? value.amount : undefined} />
          <Field
            label={t.common.currency}
            name={currencyIn(field)}
            value={isMoney(value) ? value.currency : current.value?.workspace.currency}
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
    case 'multi_select':
      return <OptionPicker field={field} value={value} />;
    case 'member':
      return <Field {...common} value={text} options={[['', t.common.nobody], ...names.member]} />;
    case 'contact':
      return <ContactField {...common} value={id ? { id, name: names.contact?.get(id) ?? null } : undefined} />;
    case 'company':
      return <CompanyField {...common} value={id ? { id, name: names.company?.get(id) ?? `#${id}` } : undefined} />;
    case 'deal':
      return <DealField {...common} value={id ? { id, title: names.deal?.get(id) ?? `#${id}` } : undefined} />;
    default:
      return isLine(type) ? (
        <Field {...common} type={lines[type]} value={text} {...(type === 'number' && { step: 'any' })} />
      ) : null;
  }
}
