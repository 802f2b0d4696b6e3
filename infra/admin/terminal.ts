import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/** Questions to whoever runs a command, on standard error: standard output is the result alone. */
export function openTerminal() {
  let isHidden = false;
  const output = new Writable({
    write(chunk, _, done) {
      if (!isHidden) process.stderr.write(chunk);
      done();
    },
  });
  const lines = createInterface({ input: process.stdin, output, terminal: process.stdin.isTTY ?? false });
  const closed = new Promise<never>((_, reject) => {
    lines.once('close', () => reject(new Error('the terminal was closed before the login was complete')));
  });
  closed.catch(() => {});
  // Lines that come before their question wait for it.
  const given: string[] = [];
  let take: ((line: string) => void) | undefined;
  lines.on('line', (line) => {
    if (take) take(line);
    else given.push(line);
    take = undefined;
  });
  const next = (): Promise<string> => {
    const line = given.shift();
    return line === undefined
      ? Promise.race([new Promise<string>((resolve) => (take = resolve)), closed])
      : Promise.resolve(line);
  };
  const say = (text: string) => process.stderr.write(`${text}\n`);
  return {
    say,
    async ask(question: string): Promise<string> {
      process.stderr.write(question);
      return next();
    },
    /** Asks a question and hides the typed answer. */
    async askHidden(question: string): Promise<string> {
      process.stderr.write(question);
      isHidden = true;
      const answer = await next();
      isHidden = false;
      say('');
      return answer;
    },
    close: () => lines.close(),
  };
}
