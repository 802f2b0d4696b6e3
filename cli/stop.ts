/** Aborted by Ctrl-C, and by whoever asks a process to end: for verbs that go on until then. */
export function untilStopped(): AbortController {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
  return stop;
}

const interrupt = '\u0003';

/** Does something for a key that is pressed on the terminal, if there is one. */
export function onKeys(stop: AbortController, keys: Record<string, () => void>): void {
  const { stdin } = process;
  if (!stdin.isTTY) return;
  stdin.setRawMode(true);
  stdin.setEncoding('utf8');
  stdin.on('data', (pressed: string) => {
    for (const key of pressed) {
      if (key === interrupt || key === 'q') stop.abort();
      else keys[key]?.();
    }
  });
  stop.signal.addEventListener('abort', () => {
    stdin.setRawMode(false);
    stdin.pause();
  });
}

/** Waits for work that goes on until it is stopped; what ends one part of it ends the others. */
export async function together(stop: AbortController, ...parts: Promise<void>[]): Promise<void> {
  const ended = parts.map((part) =>
    part.catch((error) => {
      if (stop.signal.aborted) return;
      stop.abort();
      throw error;
    }),
  );
  const results = await Promise.allSettled(ended);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}
