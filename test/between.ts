import { AsyncLocalStorage } from 'node:async_hooks';
import { documentClient, dynamodb } from '#lib/table/client.ts';

interface Call {
  operation: string;
  /** With plain attributes. */
  input: Record<string, unknown>;
}

/** What is done instead of a call; `next` makes it. */
type Step = (call: Call, next: () => Promise<Record<string, unknown>>) => Promise<unknown>;

/**
 * Does the work with every call that it makes to the table going through the step, also by way of the API and of workers that it runs.
 * Calls of what else is under way in this process do not.
 */
export async function between<Result>(step: Step, work: () => Promise<Result>): Promise<Result> {
  const { send } = dynamodb;
  const ours = new AsyncLocalStorage<true>();
  dynamodb.send = ((operation: never, input: never, signal) => {
    const next = () => send(operation, input, signal) as never;
    return ours.getStore() ? step({ operation, input }, next) : next();
  }) as typeof send;
  try {
    return await ours.run(true, work);
  } finally {
    dynamodb.send = send;
  }
}

/** Does the work with every attempt of a request to the table going through the step. Its errors are retried as DynamoDB's are. */
export async function betweenRequests<Result>(
  step: (operation: string, next: () => Promise<object>) => Promise<object>,
  work: () => Promise<Result>,
): Promise<Result> {
  const { middlewareStack } = documentClient();
  const name = 'betweenRequests';
  middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) =>
        step(commandName.replace('Command', ''), () => next(args)) as ReturnType<typeof next>,
    // Inside of what tries again.
    { step: 'finalizeRequest', priority: 'low', name },
  );
  try {
    return await work();
  } finally {
    middlewareStack.remove(name);
  }
}

/**
 * Does the work, and returns how many round trips to the table it took: the longest chain of calls of which each began after the one
 * before had ended.
 */
export async function roundTripsOf(work: () => Promise<unknown>): Promise<number> {
  let ended = 0;
  await between(async (_, next) => {
    const depth = ended + 1;
    const answer = await next();
    ended = Math.max(ended, depth);
    return answer;
  }, work);
  return ended;
}
