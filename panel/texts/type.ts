import type { developers } from './developers.en.ts';
import type { texts as english } from './en.ts';
import type { filters } from './filters.en.ts';
import type { palette } from './palette.en.ts';
import type { settings } from './settings.en.ts';
import type { sheets } from './sheets.en.ts';

/** Widens the English texts to what every language has: a missing or superfluous key does not compile. */
type Widened<Of> = Of extends string
  ? string
  : Of extends (...given: infer Given) => string
    ? (...given: Given) => string
    : { readonly [Key in keyof Of]: Widened<Of[Key]> };

/** The texts of one language, by area and key. */
export type Texts = Widened<typeof english>;

/** Areas that load with the parts that need them. */
export type Areas = Widened<{
  developers: typeof developers;
  filters: typeof filters;
  palette: typeof palette;
  settings: typeof settings;
  sheets: typeof sheets;
}>;
