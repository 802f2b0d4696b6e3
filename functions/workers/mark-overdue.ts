import { id } from '#lib/core/schema.ts';
import { system } from '#lib/core/tenant.ts';
import { workerTimeoutSeconds } from '#lib/core/timeouts.ts';
import { markOverdue } from '#lib/finance/invoice-store.ts';
import { queueWorker } from '#lib/queues/queue-worker.ts';
import { receive } from '#lib/queues/receive.ts';
import { transact } from '#lib/table/transact.ts';

/** Each sent invoice has a timer at its due date, so the cost follows the invoices that are due. */
export const handler = queueWorker(
  {
    summary: 'Sent invoices whose due date has passed become overdue',
    trigger: { queue: 'invoices', batchSize: 10, maxConcurrency: 10 },
    timeoutSeconds: workerTimeoutSeconds,
  },
  (messages) =>
    receive(messages, { invoiceId: id() }, (tenant, { invoiceId }) =>
      transact(tenant, system, (tx) => markOverdue(tx, invoiceId)),
    ),
);
