import { documentClient } from '#lib/table/client.ts';

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
