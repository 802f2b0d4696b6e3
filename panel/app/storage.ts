/** What the page keeps in this tab: nothing that another tab or a later visit could find. */
export function readKept<Value>(name: string): Value | undefined {
  const text = sessionStorage.getItem(`crm.${name}`);
  return text === null ? undefined : (JSON.parse(text) as Value);
}

export function keep(name: string, value: unknown): void {
  if (value === undefined) sessionStorage.removeItem(`crm.${name}`);
  else sessionStorage.setItem(`crm.${name}`, JSON.stringify(value));
}
