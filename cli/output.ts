/** Control characters, which are shown as escapes, so that texts of others cannot control the terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about.
const controls = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** A text of somebody else as a part of one line. */
export const printable = (text: string) => text.replaceAll(controls, escaped);

/** Escapes within texts are JSON still; the indentation stays. */
const json = (value: unknown, indent?: number) =>
  JSON.stringify(value, null, indent)
    .split('\n')
    .map((line) => printable(line))
    .join('\n');

const isColoured = process.stdout.isTTY && !process.env['NO_COLOR'];
const coloured = (code: number) => (text: string) => (isColoured ? `\u001b[${code}m${text}\u001b[39m` : text);
export const green = coloured(32);
export const red = coloured(31);

/** `14:03:22`, where the caller lives. */
export const timeOfDay = (date = new Date()) => date.toTimeString().slice(0, 8);

/** A place in a text that the caller wrote. */
export interface Place {
  source: string;
  at: number;
}

/** A text with a caret under a place of it. */
function marked({ source, at }: Place): string {
  const plain = (text: string) => text.replaceAll(controls, ' ');
  return `  ${plain(source)}\n  ${' '.repeat([...plain(source.slice(0, at))].length)}^`;
}

/** Results go to standard output, everything else to standard error. */
export class Output {
  readonly isJson: boolean;

  constructor(isJson: boolean) {
    this.isJson = isJson;
  }

  /** A result: `value` with --json, else `text`, or `value` over several lines. */
  result(value: unknown, text?: string): void {
    process.stdout.write(`${this.isJson ? json(value) : (text ?? json(value, 2))}\n`);
  }

  /** A value of many, each a line of JSON always. */
  line(value: unknown): void {
    this.text(json(value));
  }

  /** Text that was asked for as such. */
  text(text: string): void {
    process.stdout.write(`${text}\n`);
  }

  /** For whoever watches; never a part of the result. */
  note(text: string): void {
    process.stderr.write(`${text}\n`);
  }

  /** Writes what went wrong, and shows the place of the caller's text that it is about. */
  failure(fields: Record<string, unknown> & { message: string }, place?: Place): void {
    this.note(this.isJson ? json(fields) : printable(fields.message));
    if (place && !this.isJson) this.note(marked(place));
  }
}

/** Ends the command without a failure when its reader stops (`crm events tail | head -1`). */
export function endWithReader(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      process.exit(error.code === 'EPIPE' ? 0 : 1);
    });
  }
}
