import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { between } from '#test/between.ts';

const reads = /^(Get|BatchGet|Query)/;

interface Course {
  made: number;
  inFlight: number;
}

/**
 * Runs the work once for each of its reads: that one reaches the table last of those on their way, and after everything that
 * `rival` does. `before` makes what both are to meet on and `after` looks at the outcome. Returns how many reads there were.
 */
export async function lateReads<Place>(steps: {
  before(): Promise<Place>;
  work(place: Place): Promise<unknown>;
  rival(place: Place): Promise<unknown>;
  after(place: Place, answers: [PromiseSettledResult<unknown>, PromiseSettledResult<unknown>]): Promise<void>;
}): Promise<number> {
  for (let late = 0; ; late += 1) {
    const place = await steps.before();
    const current = new AsyncLocalStorage<Course>();
    let rival: Promise<unknown> | undefined;
    const isLast = await between(
      async ({ operation }, next) => {
        const course = current.getStore();
        if (!course || !reads.test(operation)) return next();
        course.made += 1;
        if (course.made === late + 1) {
          do await turn();
          while (course.inFlight > 0);
          rival = current.exit(() => steps.rival(place));
          await rival.catch(() => {});
        }
        course.inFlight += 1;
        return next().finally(() => {
          course.inFlight -= 1;
        });
      },
      async () => {
        const work = current.run({ made: 0, inFlight: 0 }, () => steps.work(place));
        await Promise.allSettled([work]);
        if (rival === undefined) return true;
        await steps.after(place, await Promise.allSettled([work, rival]));
        return false;
      },
    );
    if (isLast) return late;
  }
}
