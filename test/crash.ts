import { documentClient } from '#lib/table/client.ts';

const tooLarge = () =>
  Object.assign(new Error('Item size has exceeded the maximum allowed size'), { name: 'ValidationException' });
const throttled = () =>
  Object.assign(new Error('Transaction cancelled'), {
    name: 'TransactionCanceledException',
    CancellationReasons: [{ Code: 'ThrottlingError' }],
  });
const unanswered = () => Object.assign(new Error('read ECONNRESET'), { name: 'TimeoutError', code: 'ECONNRESET' });

/** Does something while the table refuses, for ever, every transaction that this matches, as it does with a row that is too large. */
export const refusing = <Result>(pattern: RegExp, work: () => Promise<Result>): Promise<Result> =>
  failing(/^TransactWrite/, pattern, tooLarge, work);

/** Does something while the table is too busy for every transaction that this matches. */
export const throttling = <Result>(pattern: RegExp, work: () => Promise<Result>): Promise<Result> =>
  failing(/^TransactWrite/, pattern, throttled, work);

/** Does something while the table, whatever the SDK tries, does not answer the commands that these match. */
export const unreachable = <Result>(commands: RegExp, pattern: RegExp, work: () => Promise<Result>): Promise<Result> =>
  failing(commands, pattern, unanswered, work);

async function failing<Result>(
  commands: RegExp,
  pattern: RegExp,
  error: () => Error,
  work: () => Promise<Result>,
): Promise<Result> {
  documentClient().middlewareStack.add(
    (next, context) => (args) => {
      if (commands.test(context.commandName ?? '') && pattern.test(JSON.stringify(args.input))) throw error();
      return next(args);
    },
    { step: 'initialize', name: 'failing' },
  );
  try {
    return await work();
  } finally {
    documentClient().middlewareStack.remove('failing');
  }
}

/** Reserving ids, which changes nothing that anybody sees, does not count. */
const writes = /^(TransactWrite|Put|Delete)/;

/**
 * Runs something in a process that dies after so many writes: from then on no request of it reaches the table. Returns whether it
 * got to its end alive.
 */
export async function dyingAfter(allowedWrites: number, work: () => Promise<unknown>): Promise<boolean> {
  let left = allowedWrites;
  let isDead = false;
  documentClient().middlewareStack.add(
    (next, context) => (args) => {
      if (writes.test(context.commandName ?? '')) {
        if (left === 0) isDead = true;
        left -= 1;
      }
      if (isDead) throw new Error('the process is dead');
      return next(args);
    },
    { step: 'initialize', name: 'dying' },
  );
  try {
    await work().catch((error) => {
      if (!isDead) throw error;
    });
  } finally {
    documentClient().middlewareStack.remove('dying');
  }
  return !isDead;
}
