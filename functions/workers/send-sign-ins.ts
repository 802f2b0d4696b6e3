import * as v from 'valibot';
import { sendInvitation, sendSignIn } from '#lib/auth/sign-in-mail.ts';
import { id } from '#lib/core/schema.ts';
import { parseTenantKey } from '#lib/core/tenant.ts';
import { mailTimeoutSeconds } from '#lib/core/timeouts.ts';
import { queueWorker } from '#lib/queues/queue-worker.ts';
import { receiveEach } from '#lib/queues/receive.ts';

/** An address that somebody typed, whoever has it; or a member who was invited. */
const Message = v.union([
  // Releases before 1.4 do not say of which client.
  v.object({ email: v.string(), base: v.string(), client: v.optional(v.string(), '') }),
  v.object({ tenant: v.string(), memberId: id() }),
]);

/** Links to sign in with leave behind the answer, so that it takes as long for an address that nobody has. */
export const handler = queueWorker(
  {
    summary: 'Links to sign in with are mailed to members',
    trigger: { queue: 'sign-ins', batchSize: 5, maxConcurrency: 5 },
    needs: ['ask-sign-ins', 'make-sign-ins', 'change-members', 'ses'],
    timeoutSeconds: mailTimeoutSeconds,
  },
  (messages) =>
    receiveEach(messages, Message, (message) =>
      'email' in message ? sendSignIn(message) : sendInvitation(parseTenantKey(message.tenant), message.memberId),
    ),
);
