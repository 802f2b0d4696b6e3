import type { StoredAccount } from '#lib/accounts/account.ts';
import type { Tenant } from '#lib/tenant.ts';
import type { StoredJob } from './job.ts';
import type { PacePolicy } from './pace.ts';

/** What became of one attempt. */
export type Outcome =
  | { kind: 'sent' }
  /** It will never work, or whether it worked cannot be known: not tried again. */
  | { kind: 'failed'; error: string }
  /** It certainly did not leave, and may if tried again. */
  | { kind: 'failed-for-now'; error: string }
  /** This one must wait, and no other: no attempt. */
  | { kind: 'not-yet'; until: string }
  /** The provider refuses everything from this account until a time. */
  | { kind: 'wait'; untilMs: number; waitSeconds: number }
  /** The account can no longer be used. */
  | { kind: 'lost'; state: 'disconnected' | 'banned' };

/** A connection of one account, used by one process at a time. */
export interface Sender {
  /** Unless the account has a pacing of its own. */
  policy: PacePolicy;
  /** Sending a job twice delivers it once. */
  isRepeatable: boolean;
  send(job: StoredJob): Promise<Outcome>;
  close(): Promise<void>;
}

export type OpenSender = (tenant: Tenant, account: StoredAccount) => Promise<Sender>;
