import { secondMs } from '#lib/core/clock.ts';
import { invalidField } from '#lib/core/problem.ts';
import { firstCharacters, oneLine } from '#lib/core/text.ts';
import { longTimeoutSeconds } from '#lib/core/timeouts.ts';
import { inSlot } from '#lib/table/slots.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

/** Identity of an account at its platform. */
export interface Identity {
  userId: string;
  name: string;
  username: string | null;
}

const maxNameCharacters = 200;

/** Returns the first of the names from a platform that can be the name of an account. */
export const nameOf = (...names: string[]): string =>
  names.map((name) => firstCharacters(oneLine(name), maxNameCharacters)).find((name) => name !== '') ?? '';

/** Asks a platform in a slot, as it may take long to answer. Raises 429 while other calls have all slots. */
export const asking = <Said>({ tenant }: UnitOfWork, ask: () => Promise<Said>): Promise<Said> =>
  inSlot(tenant, longTimeoutSeconds * secondMs, ask);

const sandboxToken = /^test_(.+)$/;

/** Whose token of the sandbox it is, of which nobody outside is asked. Raises 400 for any that does not begin with `test_`. */
export function sandboxIdentity(field: string, token: string, name: string): Identity {
  const userId = sandboxToken.exec(token)?.[1];
  if (userId === undefined) throw refusedToken(field, 'a test key takes tokens that begin with test_');
  return { userId, name, username: null };
}

export const refusedToken = (field: string, message: string) => invalidField(field, 'invalid_format', message);
