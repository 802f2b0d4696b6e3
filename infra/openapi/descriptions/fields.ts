import type { Noun } from './noun.ts';

export const fields: Noun = {
  about: 'Custom fields that a workspace defines for its contacts, companies, deals, and tasks.',
  operations: {
    fieldsList:
      'Lists the custom fields of an environment, newest first. Use it to learn the slugs and options that `fields` of a record takes. Objects that the key may not read are left out.',
    fieldsGet:
      'Returns one custom field with its options. Use it to look up what a value may be. A field of an object that the key may not read answers 404.',
    fieldsSchema:
      'Returns a JSON Schema (2020-12) of the `fields` object of one kind of records. Use it to check values before you send them, or to build a form. Archived fields and options are not in it.',
    fieldsCreate:
      'Creates a custom field. Existing records have no value for it. A slug that an object has already, archived fields included, answers 409 `field_slug_taken`. Above 100 unarchived fields of the object, 300 fields, 20 unique ones, 20 of type contact or company, or 2,000 options it answers 409 `limit_reached`. Emits `field.created`.',
    fieldsPatch:
      'Changes the title, description, position, options, or `isRequired` of a field. An option with its id keeps its values under the new label; an option left out is archived. With more than 500 options, or 2,000 of the fields of its object, archived ones included, it answers 409 `limit_reached`. Emits `field.updated`.',
    fieldsArchive:
      'Archives a field: it is not shown, not accepted, and not checked. Its values are kept and come back with a restore. The same again changes nothing.',
    fieldsRestore:
      'Restores an archived field together with its values. With 100 unarchived fields of the object it answers 409 `limit_reached`. The same again changes nothing.',
  },
  parameters: {
    '*': { id: 'Id of the field, as in `GET /v1/fields`.', object: 'The kind of records whose fields you want.' },
    fieldsList: {
      object: 'Only fields of these kinds of records, separated by commas. Default: all that the key may read.',
      archived:
        'Whether archived fields are listed: `false` leaves them out, `true` lists only them, `all` lists both.',
    },
  },
  schemas: {
    Field: {
      id: 'Id of the field, unique within its environment.',
      object: 'The kind of records that have the field.',
      slug: 'Name of the field in `fields` of a record: 1 to 40 of `a-z`, `0-9`, and `_`. It never changes.',
      title: 'Title of the field in the panel, 1 to 80 characters.',
      description: 'Help for people who fill in the field, at most 500 characters. Null when there is none.',
      type: 'The type of its values. It never changes.',
      options:
        'The choices of a `select` or `multi_select`, archived ones at the end: at most 500. Empty for every other type.',
      isRequired: 'Whether a new record, and a write that sets the field, must have a value. Older records stay valid.',
      isUnique:
        'Whether two records cannot have the same value. Only for `text`, `number`, `email`, `phone`, and `url`.',
      position: 'Place among the fields of the object, from 1.',
      isArchived: 'Whether the field is archived: then it is neither shown nor accepted.',
    },
    FieldOption: {
      id: 'Id of the option, unique within its field. You may send it in the place of the label.',
      label: 'Label of the option, 1 to 80 characters, unique within its field in any case. Answers show this.',
      color: 'Color of the option in the panel, as `#rrggbb`.',
      isArchived: 'Whether the option is archived: values that have it keep it, and new ones cannot.',
    },
    CreateField: {
      options: 'Up to 200 choices, only for `select` and `multi_select`, in their order.',
      description: 'Help for people who fill in the field, at most 500 characters. Default null.',
      isRequired: 'Whether new records must have a value. Default false.',
      isUnique: 'Whether two records cannot have the same value. Default false. It never changes.',
      position: 'Place among the fields of the object, from 1. Default: the last.',
    },
    PatchField: {
      options:
        'All options in their new order. One with an id is kept under the label you give; one left out is archived.',
      position: 'New place among the fields of the object, from 1.',
    },
    CreateFieldOption: {
      label: 'Label of the option, 1 to 80 characters, unique within its field in any case.',
      color: 'Color of the option in the panel, as `#rrggbb`. Default: one of 12 colors, chosen by the label.',
    },
    PatchFieldOption: {
      id: 'Id of an option that is kept. Leave it out for a new one.',
      label: 'Label the option has from now on, 1 to 80 characters, unique within its field in any case.',
      color: 'Color of the option from now on, as `#rrggbb`. Default: the color it has.',
    },
    FieldValues: { fields: 'The custom values by slug, null where none is set.' },
    PatchFieldValues: { fields: 'Values to set, by slug; null clears one. Slugs left out keep their values.' },
  },
  enums: {
    FieldObject: 'The kinds of records that can have custom fields.',
    FieldType: [
      'The type of the values of a custom field.',
      {
        text: 'one line, up to 500 characters',
        long_text: 'text of several lines, up to 10,000 characters',
        number: 'a number up to 1e15 with up to 6 decimals',
        money: 'an object of `amount` and `currency`',
        checkbox: 'true or false',
        date: 'a day, as `YYYY-MM-DD`',
        datetime: 'a time, in UTC to the second',
        select: 'the label of one option',
        multi_select: 'the labels of up to 50 options',
        url: 'an http or https address',
        email: 'one e-mail address',
        phone: 'a phone number',
        member: 'the id of a member',
        contact: 'the id of a contact; it follows a merge',
        company: 'the id of a company; it follows a merge',
        deal: 'the id of a deal',
      },
    ],
  },
  like: { CreateField: 'Field', PatchField: 'Field' },
};
