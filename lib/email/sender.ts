import { env } from '#lib/core/env.ts';
import { conflict } from '#lib/core/problem.ts';

export const noSender =
  'this deployment has no sender address for e-mail: ask the operator to set MAIL_FROM or a mail domain';

/** Raises 409 mail_not_configured where no mail can leave. Needs `mail-sender`. */
export function requireSender(): void {
  if (env('MAIL_FROM') === undefined) throw conflict('mail_not_configured', noSender);
}
