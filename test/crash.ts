import { between } from './between.ts';

const tooLarge = () =>
  Object.assign(new Error('Item size has exceeded the maximum allowed size'), { name: 'ValidationException' });
const throttled = (operation: string) =>
  operation === 'TransactWriteItems'
    ? Object.assign(new Error('Transaction cancelled'), {
        name: 'TransactionCanceledException',
        CancellationReasons: [{ Code: 'ThrottlingError' }],
      })
    : Object.assign(new Error('Throughput exceeds the current capacity'), { name: 'ThrottlingException' });
const unanswered = () => Object.assign(new Error('read ECONNRESET'), { name: 'TimeoutError', code: 'ECONNRESET' });

/** Does something while the table refuses, for ever, every transaction and every row that this matches, as it does with a row that is too large. */
export const refusing = <Result>(pattern: RegExp, work: () => Promise<Result>): Promise<Result> =>
  failing(/^(TransactWrite|PutItem)/, pattern, tooLarge, work);

/** Does something while the table is too busy for every transaction and every write of one item that this matches. */
export const throttling = <Result>(pattern: RegExp, work: () => Promise<Result>): Promise<Result> =>
  failing(/^(TransactWrite|PutItem|UpdateItem)/, pattern, throttled, work);

/** Does something while the table, whatever its client tries, does not answer the commands that these match. */
export const unreachable = <Result>(commands: RegExp, pattern: RegExp, work: () => Promise<Result>): Promise<Result> =>
  failing(commands, pattern, unanswered, work);

async function failing<Result>(
  commands: RegExp,
  pattern: RegExp,
  error: (operation: string) => Error,
  work: () => Promise<Result>,
): Promise<Result> {
  return between(async ({ operation, input }, next) => {
    if (commands.test(operation) && pattern.test(JSON.stringify(input))) throw error(operation);
    return next();
  }, work);
}

/** Reserving ids, which changes nothing that anybody sees, does not count. */
const writes = /^(TransactWrite|Put|Delete)/;

/**
 * Runs something in a process that dies after so many writes: from then on no request of it reaches the table. Returns whether it
 * got to its end alive.
 */
export async function dyingAfter(
  allowedWrites: number,
  work: () => Promise<unknown>,
  counted: RegExp = writes,
): Promise<boolean> {
  let left = allowedWrites;
  let isDead = false;
  await between(
    async ({ operation }, next) => {
      if (counted.test(operation)) {
        if (left === 0) isDead = true;
        left -= 1;
      }
      if (isDead) throw new Error('the process is dead');
      return next();
    },
    () =>
      work().catch((error) => {
        if (!isDead) throw error;
      }),
  );
  return !isDead;
}
