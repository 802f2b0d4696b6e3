import { UsageError } from './verb.ts';

/** As many operands as the verb has names for, no more and no fewer. */
export function operandsOf(operands: readonly string[], ...names: string[]): string[] {
  const missing = names[operands.length];
  if (missing !== undefined) throw new UsageError(`${missing} is missing`);
  if (operands.length > names.length) throw new UsageError(`"${operands[names.length]}" is an unexpected argument`);
  return [...operands];
}

export const noOperands = (operands: readonly string[]) => operandsOf(operands);

/** An option's value as a number, if it was given. */
export function countOf(name: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  if (!/^\d{1,15}$/.test(given)) throw new UsageError(`${name} takes a number`);
  return Number(given);
}
