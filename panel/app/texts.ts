import { signal } from '@preact/signals';
import type { Areas, Texts } from '../texts/type.ts';

const catalog = signal<Partial<Texts & Areas>>({});

/** Shows the page in these texts; areas that they lack stay as they are. The reference needs only those of the parts that it shares. */
export function showTexts(texts: Partial<Texts & Areas>): void {
  catalog.value = { ...catalog.value, ...texts };
}

/** The texts of the language that is shown. Read it while rendering, never when a module loads. */
export const t = new Proxy({} as Texts & Areas, {
  get: (_, area) => catalog.value[area as keyof Texts],
});
