/** Returns JSON with the names of each object in alphabetical order: the table keeps none. Names in `without` are left out. */
export const canonicalJson = (value: unknown, without: readonly string[] = []): string =>
  JSON.stringify(value, (_, of) =>
    typeof of !== 'object' || of === null || Array.isArray(of)
      ? of
      : Object.fromEntries(
          Object.entries(of)
            .filter(([name]) => !without.includes(name))
            .sort(([one], [other]) => (one < other ? -1 : 1)),
        ),
  );
