import { signal } from '@preact/signals';
import type { texts as english } from '../texts/en.ts';

/** Widens the English texts to what every language has: a missing or superfluous key does not compile. */
type Widened<Of> = Of extends string
  ? string
  : Of extends (...given: infer Given) => string
    ? (...given: Given) => string
    : { readonly [Key in keyof Of]: Widened<Of[Key]> };

/** The texts of one language, by area and key. */
export type Texts = Widened<typeof english>;

const catalog = signal<Partial<Texts>>({});

/** Shows the page in these texts. The reference needs only the areas of the parts that it shares. */
export function showTexts(texts: Partial<Texts>): void {
  catalog.value = texts;
}

/** The texts of the language that is shown. Read it while rendering, never when a module loads. */
export const t = new Proxy({} as Texts, {
  get: (_, area) => catalog.value[area as keyof Texts],
});
