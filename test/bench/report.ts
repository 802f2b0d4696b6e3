/** One line of the benchmark's table: a ratio in one run, and the budget that it keeps or breaks. */
export interface Line {
  what: string;
  measured: string;
  budget: string;
  ok: boolean;
}

export const quantile = (values: readonly number[], q: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] as number;
};

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** A line for `value <= limit`. */
export const atMost = (what: string, value: number, limit: number, unit: string, detail = ''): Line => ({
  what,
  measured: `${Number(value.toFixed(2))}${unit}${detail && ` (${detail})`}`,
  budget: `<= ${limit}${unit}`,
  ok: value <= limit,
});

/** A line for `value >= limit`. */
export const atLeast = (what: string, value: number, limit: number, unit: string, detail = ''): Line => ({
  what,
  measured: `${Number(value.toFixed(2))}${unit}${detail && ` (${detail})`}`,
  budget: `>= ${limit}${unit}`,
  ok: value >= limit,
});

/** A line that has no budget and stands beside one that has. */
export const beside = (what: string, measured: string): Line => ({ what, measured, budget: '', ok: true });

export function table(lines: readonly Line[]): string {
  const rows = [
    ['', 'measured', 'budget', ''],
    ...lines.map(({ what, measured, budget, ok }) => [
      what,
      measured,
      budget,
      budget === '' ? '' : ok ? 'ok' : 'MISSED',
    ]),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => (row[column] as string).length)));
  const line = (row: string[]) => `| ${row.map((cell, column) => cell.padEnd(widths[column] as number)).join(' | ')} |`;
  const [head, ...body] = rows as [string[], ...string[][]];
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}
