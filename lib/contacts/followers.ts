import { dealFollower } from '#lib/deals/store.ts';
import { threadFollower } from '#lib/email/store.ts';
import { invoiceFollower } from '#lib/finance/invoice-store.ts';
import { transactionFollower } from '#lib/finance/transaction-store.ts';
import { identityFollower } from '#lib/messages/identity.ts';
import { messageFollower } from '#lib/messages/store.ts';
import { enrollmentFollower } from '#lib/sequences/store.ts';
import { taskFollower } from '#lib/tasks/store.ts';
import { activityFollower } from './activity.ts';
import type { Follower } from './follower.ts';

/** Everything that names contacts. */
export const followers: readonly Follower[] = [
  activityFollower,
  messageFollower,
  identityFollower,
  dealFollower,
  taskFollower,
  threadFollower,
  enrollmentFollower,
  transactionFollower,
  invoiceFollower,
];
