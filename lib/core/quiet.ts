let works = 0;

/** Whether log and metrics leave no line. */
export const isQuiet = (): boolean => works > 0;

/** Does work that leaves no line in the log and no metric; nor does whatever else the process does meanwhile. */
export async function quietly<Result>(work: () => Promise<Result>): Promise<Result> {
  works += 1;
  try {
    return await work();
  } finally {
    works -= 1;
  }
}
