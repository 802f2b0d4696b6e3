import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '#lib/env.ts';
import { identify } from '#lib/keys/identify.ts';
import { log } from '#lib/log.ts';
import { Problem } from '#lib/problem.ts';
import { documentClient } from '#lib/table/client.ts';

/** Of the right form, and nobody's: no key has this id. */
const nobody = `Bearer csk_live_${'0'.repeat(44)}`;

/** Each turn still costs the next one less, and initialising has a whole core. */
const turns = 3;

/**
 * What every request begins with, done while the function initialises, so that the first one does not pay for the lazy parts of the
 * SDK and of the log: a read of nothing, and an identification that the table refuses. Never throws: a function that cannot
 * reach its table says so when it is called.
 */
export async function prime(): Promise<void> {
  try {
    log();
    const nothing = new GetCommand({ TableName: env('TABLE_NAME'), Key: { pk: 'PRIME', sk: 'PRIME' } });
    await documentClient().send(nothing, { abortSignal: AbortSignal.timeout(500) });
    for (let turn = 0; turn < turns; turn += 1) await identify(nobody, '0.0.0.0').catch(isRefused);
  } catch {
    // As it should be, or the first request reports it with its own context.
  }
}

/** A table that cannot be reached is not asked again. */
function isRefused(error: unknown): void {
  if (!(error instanceof Problem)) throw error;
}
