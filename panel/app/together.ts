const asked = new Map<string, Promise<unknown>>();

/** Reads once for all parts of a page that ask in the same moment. `name` says what is read. */
export function together<Answer>(name: string, read: () => Promise<Answer>): Promise<Answer> {
  const known = asked.get(name) as Promise<Answer> | undefined;
  if (known !== undefined) return known;
  const answer = read();
  asked.set(name, answer);
  setTimeout(() => asked.delete(name));
  return answer;
}
