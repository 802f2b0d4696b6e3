import type { Noun } from './nouns.ts';

/** Fields that filters take alike. */
interface Filterable {
  fields: string[];
  operators: string[];
}

/** Returns which operators the fields of a noun take in filters; custom fields take those of their type. */
export function filtersOf({ fields }: Noun): Filterable[] {
  const byOperators = new Map<string, Filterable>();
  for (const [name, { kind }] of Object.entries(fields)) {
    const known = byOperators.get(kind.operators.join()) ?? {
      fields: [],
      operators: [...kind.operators, 'isSet', 'isNotSet'],
    };
    known.fields.push(name);
    byOperators.set(kind.operators.join(), known);
  }
  return [...byOperators.values()];
}
