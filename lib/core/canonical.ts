/** Returns the same text for the same JSON, in whatever order an object has its names: DynamoDB does not keep it. Names in `without` are left out. */
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
