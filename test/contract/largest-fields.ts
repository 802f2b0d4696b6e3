import type { FieldObject } from '#lib/entities/field.ts';
import type { Client } from '#test/client.ts';
import type { Letters } from '#test/contract/largest-values.ts';

/** Slugs of 40 characters. */
const slugOf = (index: number) => String(index).padStart(40, 'x_');
const uniqueCount = 20;

/** Adds as many custom fields to an object as are given: twenty unique texts, a long text, and numbers. */
export async function createFields(client: Client, object: FieldObject, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const type = index < uniqueCount ? 'text' : index === uniqueCount ? 'long_text' : 'number';
    const field = { object, slug: slugOf(index), title: `Field ${index}`, type, isUnique: index < uniqueCount };
    await client.post('/v1/fields', field, 201);
  }
}

let calls = 0;

/** Returns values for all of these fields, of nearly 64 KB; unique ones are new in each call. */
export function largestFields(count: number, letters: Letters): Record<string, unknown> {
  calls += 1;
  const bytes = Math.max(
    ...[...letters.text(100, true)].map((letter) => Buffer.byteLength(JSON.stringify(letter)) - 2),
  );
  const room = 62_000 - uniqueCount * 500 * bytes - count * 30;
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => {
      const text = `${calls} ${index} `.padEnd(12, 'u');
      if (index < uniqueCount) return [slugOf(index), `${text}${letters.text(500 - text.length)}`];
      if (index > uniqueCount) return [slugOf(index), 1e15 - index];
      return [slugOf(index), letters.text(Math.min(10_000, Math.floor(room / bytes)), true)];
    }),
  );
}
