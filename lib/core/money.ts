import { invalidField } from './problem.ts';

/** ISO 4217's currencies whose minor unit is not a hundredth, by their decimals. */
const currenciesOf: Readonly<Record<number, string>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
};
const usualDecimals = 2;
export const maxDecimals = 4;

const decimals = new Map(
  Object.entries(currenciesOf).flatMap(([count, codes]) => codes.split(' ').map((code) => [code, Number(count)])),
);

/** Returns how many decimals amounts of a currency have. */
export const decimalsOf = (currency: string) => decimals.get(currency) ?? usualDecimals;

/** Whether an amount has no more decimals. */
export const hasDecimals = (amount: number, count: number) => Number(amount.toFixed(count)) === amount;

/** Returns what is wrong with an amount that has more decimals than its currency. */
export function excessOf(amount: number, currency: string): string | undefined {
  const count = decimalsOf(currency);
  if (hasDecimals(amount, count)) return undefined;
  return `must have ${count === 0 ? 'no' : `at most ${count}`} decimals in ${currency}`;
}

/** Raises 400 for an amount with more decimals than its currency has. */
export function requireDecimals(field: string, amount: number, currency: string): void {
  const excess = excessOf(amount, currency);
  if (excess !== undefined) throw invalidField(field, 'invalid_format', `${field} ${excess}`);
}

/** Sums are of integers: hundredths, or smaller where the currency has smaller. */
const unitsPer = (currency: string) => 10 ** Math.max(usualDecimals, decimalsOf(currency));
export const toCents = (amount: number, currency: string) => Math.round(amount * unitsPer(currency));
export const fromCents = (cents: number, currency: string) => cents / unitsPer(currency);
