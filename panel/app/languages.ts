import { effect } from '@preact/signals';
import { texts as en } from '../texts/en.ts';
import type { Texts } from '../texts/type.ts';
import { type Language, language } from './locale.ts';
import { showTexts } from './texts.ts';

/** English comes with the first file; each other language is a file of its own, asked for when it is shown. */
const load: Record<Language, () => Promise<Texts> | Texts> = {
  en: () => en,
  de: async () => (await import('../texts/de.ts')).texts,
};

/** Shows the panel in the member's language, now and whenever it changes. Resolves when the first texts are there. */
export function speak(): Promise<void> {
  return new Promise((resolve) => {
    effect(() => {
      const chosen = language.value;
      const show = (texts: Texts, of: Language) => {
        if (language.peek() !== chosen) return;
        showTexts(texts);
        document.documentElement.lang = of;
        resolve();
      };
      Promise.resolve(load[chosen]()).then(
        (texts) => show(texts, chosen),
        // Better in English than not at all.
        () => show(en, 'en'),
      );
    });
  });
}
