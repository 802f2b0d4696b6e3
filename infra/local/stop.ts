const deadlineMs = 9000;
const parentCheckMs = 500;

/** Calls back once, when the process is asked to end; it has 9 seconds, then it ends anyway. */
export function onStop(stop: () => Promise<unknown>): void {
  let isStopping = false;
  const begin = async () => {
    if (isStopping) return;
    isStopping = true;
    setTimeout(() => process.exit(0), deadlineMs);
    await stop().catch((error) => console.error(error));
    process.exit(0);
  };
  process.on('SIGINT', begin);
  process.on('SIGTERM', begin);
  // npm hands a signal to a shell, and not every shell hands it on when it goes.
  if (process.env['npm_lifecycle_event'] === undefined) return;
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && begin(), parentCheckMs).unref();
}
