import { signal } from '@preact/signals';
import type { Texts } from '../texts/type.ts';

const catalog = signal<Partial<Texts>>({});

/** Shows the page in these texts. The reference needs only the areas of the parts that it shares. */
export function showTexts(texts: Partial<Texts>): void {
  catalog.value = texts;
}

/** The texts of the language that is shown. Read it while rendering, never when a module loads. */
export const t = new Proxy({} as Texts, {
  get: (_, area) => catalog.value[area as keyof Texts],
});
