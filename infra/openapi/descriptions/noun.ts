/** A text, or a text with what each value means. */
export type Said = string | readonly [text: string, values: Readonly<Record<string, string>>];

/** Texts by name: of a parameter, of a property (`pacing.gapMs` within it), of a header. */
export type Texts = Readonly<Record<string, Said>>;

/** Descriptions of one noun in the API document. `test/infra/descriptions.test.ts` compares them with the document. */
export interface Noun {
  /** Description of the noun, shown above its operations. */
  about?: string;
  /** By operationId: what it does, when to use it, what it does not do. */
  operations?: Readonly<Record<string, string>>;
  /** By operationId, where a parameter means something else there; `*` is for every operation of the noun. */
  parameters?: Readonly<Record<string, Texts>>;
  /** By title of a schema, then by property. */
  schemas?: Readonly<Record<string, Texts>>;
  /** By title of an enum that several places share. */
  enums?: Readonly<Record<string, Said>>;
  /** Where a schema has the rest of its texts from: another one with the same properties. */
  like?: Readonly<Record<string, string>>;
}
