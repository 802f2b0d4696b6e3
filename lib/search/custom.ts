import type { StoredField } from '#lib/entities/field.ts';
import { storedValue } from '#lib/workspaces/fields.ts';
import * as forms from './forms.ts';
import { boolean, date, email, id, type Kind, listOf, money, number, phone, text, time, WrongValue } from './kinds.ts';
import type { SearchField } from './nouns.ts';
import { company, member } from './references.ts';

/** An option by its label or its id; sorted in the order of the field's options. */
function optionOf({ options, slug }: StoredField): Kind {
  const place = (stored: number) => options.findIndex((option) => option.id === stored);
  return {
    ...id('option'),
    read(value) {
      const found = options.findIndex(
        (option) =>
          option.id === value ||
          (typeof value === 'string' && option.label.toLowerCase() === value.trim().toLowerCase()),
      );
      if (found === -1) throw new WrongValue('unknown_reference', `names no option of ${slug}: see GET /v1/fields`);
      return found;
    },
    operand: place,
    form: forms.named(namesOf(options)),
  };
}

/** Returns the names of options in a copy: their labels, of those that are alike with the id. */
function namesOf(options: StoredField['options']): Map<number, string> {
  const names = new Map<number, string>();
  const taken = new Set<string>();
  for (const { id: option, label } of options) {
    let name = label;
    while (taken.has(name)) name = `${name} #${option}`;
    names.set(option, name);
    taken.add(name);
  }
  return names;
}

function kindOf(field: StoredField): Kind {
  if (field.type === 'select') return optionOf(field);
  if (field.type === 'multi_select') return listOf(optionOf(field));
  const others: Partial<Record<StoredField['type'], Kind>> = {
    number,
    money,
    checkbox: boolean,
    date,
    datetime: time,
    email,
    phone,
    text,
    long_text: text,
    url: text,
    member,
    contact: id('contact'),
    company,
    deal: id('deal'),
  };
  return others[field.type] ?? number;
}

/** Returns a custom field as filters and orders know it. */
export const searchFieldOf = (field: StoredField): SearchField => ({
  kind: kindOf(field),
  of: (row) => storedValue(row, field),
  from: [`fields_${field.slug}`],
  field,
});
