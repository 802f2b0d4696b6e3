let works = 0;

/** Whether log and metrics leave no line. */
export const isQuiet = (): boolean => works > 0;

/** Does work of which neither log nor metrics tell; whatever else the process does meanwhile is not told either. */
export async function quietly<Result>(work: () => Promise<Result>): Promise<Result> {
  works += 1;
  try {
    return await work();
  } finally {
    works -= 1;
  }
}
