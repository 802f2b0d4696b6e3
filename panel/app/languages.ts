import { effect } from '@preact/signals';
import type { Areas, Texts } from '../texts/type.ts';
import { type Language, language } from './locale.ts';
import { showTexts } from './texts.ts';

/** Each language is a file of its own, asked for when it is shown. */
const load: Record<Language, () => Promise<Texts>> = {
  en: async () => (await import('../texts/en.ts')).texts,
  de: async () => (await import('../texts/de.ts')).texts,
};

/** So is each area that only some parts need. */
const loadArea: { [Area in keyof Areas]: Record<Language, () => Promise<Pick<Areas, Area>>> } = {
  developers: {
    en: () => import('../texts/developers.en.ts'),
    de: () => import('../texts/developers.de.ts'),
  },
  filters: {
    en: () => import('../texts/filters.en.ts'),
    de: () => import('../texts/filters.de.ts'),
  },
  palette: {
    en: () => import('../texts/palette.en.ts'),
    de: () => import('../texts/palette.de.ts'),
  },
  settings: {
    en: () => import('../texts/settings.en.ts'),
    de: () => import('../texts/settings.de.ts'),
  },
  sheets: {
    en: () => import('../texts/sheets.en.ts'),
    de: () => import('../texts/sheets.de.ts'),
  },
};

const shownAreas = new Set<keyof Areas>();

/** Returns the areas that are shown, in a language. */
const readAreas = (of: Language): Promise<Partial<Areas>[]> =>
  Promise.all([...shownAreas].map((area) => loadArea[area][of]()));

const readAll = async (of: Language): Promise<Texts & Partial<Areas>> => {
  const [texts, areas] = await Promise.all([load[of](), readAreas(of)]);
  return Object.assign({}, texts, ...areas);
};

/** Shows the panel in the member's language, now and whenever it changes. Resolves when the first texts are there. */
export function speak(): Promise<void> {
  return new Promise((resolve, reject) => {
    effect(() => {
      const chosen = language.value;
      const show = (texts: Texts, of: Language) => {
        if (language.peek() !== chosen) return;
        showTexts(texts);
        document.documentElement.lang = of;
        resolve();
      };
      readAll(chosen).then(
        (texts) => show(texts, chosen),
        // Better in English than not at all.
        // biome-ignore lint/suspicious/noNestedPromises: what fails twice ends the start
        () => readAll('en').then((texts) => show(texts, 'en'), reject),
      );
    });
  });
}

/** Adds the texts of an area to those that are shown. */
export async function speakOf(area: keyof Areas): Promise<void> {
  shownAreas.add(area);
  const chosen = language.peek();
  showTexts(await loadArea[area][chosen]());
  if (language.peek() !== chosen) await speakOf(area);
}
