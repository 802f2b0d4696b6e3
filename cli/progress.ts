import { printable } from './output.ts';

const width = 24;

/** A bar on standard error that shows how far something is; without a terminal it shows nothing. */
export class Progress {
  readonly #isShown: boolean;
  #length = 0;

  constructor({ isJson }: { isJson: boolean }) {
    this.#isShown = process.stderr.isTTY && !isJson;
  }

  /** Shows a number of things, and the bar once it is known of how many. */
  show(what: string, done: number, total: number | null, noun: string): void {
    const share = total ? Math.min(1, done / total) : undefined;
    const bar = share === undefined ? '' : `${'█'.repeat(Math.round(share * width)).padEnd(width, '░')} `;
    const of = total === null ? '' : ` of ${total.toLocaleString('en')}`;
    this.#write(`${printable(what)} ${bar}${done.toLocaleString('en')}${of} ${noun}`);
  }

  /** Removes the bar, so that what follows begins a line. */
  end(): void {
    if (this.#length > 0) this.#write('');
    if (this.#isShown) process.stderr.write('\r');
    this.#length = 0;
  }

  #write(line: string): void {
    if (!this.#isShown) return;
    process.stderr.write(`\r${line.padEnd(this.#length)}`);
    this.#length = line.length;
  }
}
