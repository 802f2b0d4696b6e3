const pollMs = 1000;

/** Asks each second until it has ended. Returns what stops it. */
export function pollWhile<Of>(
  ask: (signal: AbortSignal) => Promise<Of>,
  isUnderWay: (of: Of) => boolean,
  show: (of: Of) => void,
  fail: (error: unknown) => void,
): () => void {
  const stop = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const again = async () => {
    try {
      const now = await ask(stop.signal);
      if (stop.signal.aborted) return;
      show(now);
      if (isUnderWay(now)) timer = setTimeout(again, pollMs);
    } catch (error) {
      if (!stop.signal.aborted) fail(error);
    }
  };
  void again();
  return () => {
    stop.abort();
    clearTimeout(timer);
  };
}
