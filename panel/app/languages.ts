import { effect } from '@preact/signals';
import type { Texts } from '../texts/type.ts';
import { type Language, language } from './locale.ts';
import { showTexts } from './texts.ts';

/** Each language is a file of its own, asked for when it is shown. */
const load: Record<Language, () => Promise<Texts>> = {
  en: async () => (await import('../texts/en.ts')).texts,
  de: async () => (await import('../texts/de.ts')).texts,
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
      load[chosen]().then(
        (texts) => show(texts, chosen),
        // Better in English than not at all.
        // biome-ignore lint/suspicious/noNestedPromises: what fails twice ends the start
        () => load.en().then((texts) => show(texts, 'en'), reject),
      );
    });
  });
}
