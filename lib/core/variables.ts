const variable = /\{\{([^{}|]*)(?:\|([^{}]*))?\}\}/g;
const known = /^(?:name|firstName|company|fields\.[a-z][a-z0-9_]{0,39})$/;

/** A variable of a text that there is none of; undefined where each is known. */
export const unknownVariableIn = (text: string): string | undefined =>
  [...text.matchAll(variable)].map(([, name = '']) => name.trim()).find((name) => !known.test(name));

/** Whether a text has the variable of a custom field. */
export const namesField = (text: string): boolean => /\{\{\s{0,9}fields\./.test(text);

/** Data of a contact that variables stand for. */
interface Person {
  name: string | null;
  company: string | null;
  fields?: Readonly<Record<string, unknown>>;
}

/** Returns a text with what a contact has in the place of its variables, or the first variable that has neither a value nor a fallback. */
export function filled(text: string, person: Person): { text: string } | { missing: string } {
  let missing: string | undefined;
  const made = text.replaceAll(variable, (_, given: string, fallback: string | undefined) => {
    const name = given.trim();
    const value = variableOf(person, name) ?? fallback?.trim();
    if (value === undefined) missing ??= name;
    return value ?? '';
  });
  return missing === undefined ? { text: made } : { missing };
}

function variableOf({ name, company, fields = {} }: Person, variableName: string): string | undefined {
  const value =
    variableName === 'name'
      ? name
      : variableName === 'firstName'
        ? name?.trim().split(/\s+/)[0]
        : variableName === 'company'
          ? company
          : textOf(fields[variableName.slice('fields.'.length)]);
  return value?.trim() || undefined;
}

/** A value of a custom field as a sentence has it. */
function textOf(value: unknown): string | undefined {
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  if (typeof value === 'object' && value !== null && 'amount' in value && 'currency' in value)
    return `${value.amount} ${value.currency}`;
  return value === null || value === undefined || typeof value === 'object' ? undefined : String(value);
}
