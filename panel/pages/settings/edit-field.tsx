import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, type Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { t } from '../../app/texts.ts';
import { say } from '../../app/toasts.ts';
import { readVersion } from '../../app/version.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Field, Form, type Values } from '../../parts/form.tsx';
import { type EditedOption, mergedOptions, openOptions, optionColors, slugOf } from './field-options.ts';
import { Options } from './options.tsx';

export type Definition = Schema<'Field'>;
export type FieldObject = 'contact' | 'company' | 'deal' | 'task';

const types = [
  ...['text', 'long_text', 'number', 'money', 'checkbox', 'date', 'datetime', 'select', 'multi_select'],
  ...['url', 'email', 'phone', 'member', 'contact', 'company', 'deal'],
] as (keyof typeof t.fields.types & Schema<'CreateField'>['type'])[];
const hasOptions = (type: string) => /^(select|multi_select)$/.test(type);
const canBeUnique = (type: string) => /^(text|number|email|phone|url)$/.test(type);

interface EditFieldProps {
  object: FieldObject;
  /** Undefined for a new one. */
  field: Definition | undefined;
  onDone(): void;
  onClose(): void;
}

/** Makes or changes a custom field. */
export function EditField({ object, field, onDone, onClose }: EditFieldProps) {
  const [type, setType] = useState<string>(field?.type ?? 'text');
  const [suggestedSlug, suggestSlug] = useState('');
  const isSlugTyped = useRef(false);
  const [isRequired, setRequired] = useState(field?.isRequired ?? false);
  const [isUnique, setUnique] = useState(false);
  const [options, setOptions] = useState<EditedOption[]>(
    field ? openOptions(field.options) : [{ label: '', color: optionColors[0] as string }],
  );
  const base = useRef(field);
  const etag = useRef<string | undefined>(undefined);
  /** Takes what is saved now into the options that are edited here. */
  const takeOver = async () => {
    const found = field && (await readVersion<Definition>(`/v1/fields/${field.id}`));
    if (!found) return;
    const before = openOptions(base.current?.options ?? []);
    setOptions((mine) => mergedOptions(before, mine, openOptions(found.record.options)));
    base.current = found.record;
    etag.current = found.etag;
  };
  // The list may show an older version than is there now.
  const reading = useRef<Promise<void> | undefined>(undefined);
  useEffect(() => {
    reading.current = takeOver().finally(() => {
      reading.current = undefined;
    });
  }, []);

  const create = (values: Values) =>
    api.post('/v1/fields', {
      body: {
        object,
        slug: values['slug'] ?? '',
        title: values['title'] ?? '',
        description: values['description'] ?? null,
        type: type as Schema<'CreateField'>['type'],
        isRequired,
        isUnique: canBeUnique(type) && isUnique,
        ...(hasOptions(type) && { options: options.map(({ label, color }) => ({ label, color })) }),
      },
    });
  const change = async (shown: Definition, values: Values) => {
    const wasRead = reading.current === undefined;
    await reading.current;
    const of = base.current ?? shown;
    const known = openOptions(of.options);
    const wanted = wasRead ? options : mergedOptions(openOptions(shown.options), options, known);
    const { title: newTitle = '', description = null } = values;
    const body = {
      ...(newTitle !== shown.title && { title: newTitle }),
      ...(description !== shown.description && { description }),
      ...(isRequired !== shown.isRequired && { isRequired }),
      ...(hasOptions(of.type) && JSON.stringify(wanted) !== JSON.stringify(known) && { options: wanted }),
    };
    if (Object.keys(body).length === 0) return;
    const header = etag.current === undefined ? {} : { 'If-Match': etag.current };
    try {
      await api.patch('/v1/fields/{id}', { params: { path: { id: of.id }, header }, body });
    } catch (error) {
      if (error instanceof ApiError && error.status === 412) await takeOver();
      throw error instanceof ApiError && error.status === 412 ? new Error(t.fields.somebodyHasChangedIt) : error;
    }
  };
  return (
    <Dialog title={field ? t.common.editName(field.title) : t.fields.newField} onClose={onClose}>
      <Form
        submit={field ? t.common.save : t.fields.createField}
        onCancel={onClose}
        onSubmit={async (values) => {
          await (field ? change(field, values) : create(values));
          onDone();
          onClose();
          say(t.parts.saved);
        }}
      >
        <Field
          label={t.common.title}
          name="title"
          value={field?.title}
          required
          maxLength={80}
          onType={(title) => isSlugTyped.current || suggestSlug(slugOf(title))}
        />
        {!field && (
          <>
            <Field
              key={suggestedSlug}
              label={t.fields.slug}
              name="slug"
              value={suggestedSlug}
              required
              maxLength={40}
              hint={t.fields.theSlugNeverChanges}
              onType={() => {
                isSlugTyped.current = true;
              }}
            />
            <div class="field">
              <label for="field-type">{t.fields.type}</label>
              <select id="field-type" value={type} onChange={(event) => setType(event.currentTarget.value)}>
                {types.map((one) => (
                  <option key={one} value={one}>
                    {t.fields.types[one]}
                  </option>
                ))}
              </select>
            </div>
          </>
        )}
        {hasOptions(type) && <Options options={options} onChange={setOptions} />}
        <Field label={t.common.description} name="description" value={field?.description} rows={2} maxLength={500} />
        <fieldset>
          <legend class="hidden">{t.fields.rules}</legend>
          <label class="check">
            <input
              type="checkbox"
              checked={isRequired}
              onChange={(event) => setRequired(event.currentTarget.checked)}
            />
            {t.fields.requiredForNew}
          </label>
          {!field && canBeUnique(type) && (
            <label class="check">
              <input type="checkbox" checked={isUnique} onChange={(event) => setUnique(event.currentTarget.checked)} />
              {t.fields.uniqueValues}
            </label>
          )}
        </fieldset>
      </Form>
    </Dialog>
  );
}
