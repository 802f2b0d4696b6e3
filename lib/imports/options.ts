import { parseFields } from '#lib/core/fields.ts';
import type { Actor, Tenant } from '#lib/core/tenant.ts';
import { Fields, PatchField, type StoredField } from '#lib/entities/field.ts';
import { sameName } from '#lib/entities/tag.ts';
import { transact } from '#lib/table/transact.ts';
import { patchField } from '#lib/workspaces/field-changes.ts';
import type { RowInput } from './objects/object.ts';

type FieldOptions = StoredField['options'];
/** Adds options to a field, and returns all of them. */
type MakeOptions = (fieldId: number, labels: readonly string[]) => Promise<FieldOptions>;

const labelsIn = (value: unknown): string[] =>
  [value].flat().flatMap((one) => (typeof one === 'string' && one.trim() !== '' ? [one.trim()] : []));

const hasLabel = (options: FieldOptions, label: string) =>
  options.some((option) => !option.isArchived && sameName(option.label) === sameName(label));

/** Options of custom fields that rows name. */
export class Options {
  readonly #fields: Map<string, StoredField>;
  readonly #make: MakeOptions;
  #last: Promise<unknown> = Promise.resolve();

  constructor(fields: readonly StoredField[], make: MakeOptions) {
    const selects = fields.filter(({ type }) => type === 'select' || type === 'multi_select');
    this.#fields = new Map(selects.map((field) => [field.slug, field]));
    this.#make = make;
  }

  /** Makes the options that a row names and that are not there, one row at a time. Raises 400 and 409 of the call that does so. */
  async make(input: RowInput): Promise<void> {
    for (const [slug, value] of Object.entries((input['fields'] as object | undefined) ?? {})) {
      const field = this.#fields.get(slug);
      if (field === undefined || labelsIn(value).every((label) => hasLabel(field.options, label))) continue;
      const turn = this.#last.then(async () => {
        const missing = labelsIn(value).filter((label) => !hasLabel(field.options, label));
        if (missing.length > 0) field.options = await this.#make(field.id, missing);
      });
      this.#last = turn.catch(() => {});
      await turn;
    }
  }

  /** Returns what a row sets without the options that are not there. */
  without(input: RowInput): RowInput {
    const values = Object.entries((input['fields'] as object | undefined) ?? {}).flatMap(([slug, value]) => {
      const field = this.#fields.get(slug);
      const labels = labelsIn(value).filter((label) => field === undefined || hasLabel(field.options, label));
      if (field === undefined || labels.length === labelsIn(value).length) return [[slug, value]];
      return labels.length === 0 ? [] : [[slug, labels]];
    });
    return { ...input, ...(input['fields'] !== undefined && { fields: Object.fromEntries(values) }) };
  }
}

/** Returns what adds options to fields of a tenant. */
export const optionMaker =
  (tenant: Tenant, actor: Actor, isSilent: boolean): MakeOptions =>
  (id, labels) =>
    transact(tenant, actor, async (tx) => {
      tx.isSilent = isSilent;
      const { options } = await tx.get(Fields, { id });
      const given = parseFields(PatchField, { options: labels.map((label) => ({ label })) }).options ?? [];
      const missing = given.map(({ label }) => label).filter((label) => !hasLabel(options, label));
      if (missing.length === 0) return options;
      // An option that is left out would be archived.
      const kept = options
        .filter(({ isArchived }) => !isArchived)
        .map((option) => ({ id: option.id, label: option.label }));
      return (await patchField(tx, id, { options: [...kept, ...missing.map((label) => ({ label }))] })).options;
    });
