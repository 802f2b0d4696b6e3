import type { Tenant } from '#lib/core/tenant.ts';
import type { StoredAccount } from '#lib/entities/account.ts';
import type { StoredJob } from '#lib/entities/job.ts';
import type { AtPlatform } from '#lib/entities/message.ts';

/** Recipient whom an account cannot reach: nothing else that waits for them will arrive. */
interface Unreachable {
  telegramUserId: number;
  /** Whether they have blocked the account or are gone. If not, they may still write to it. */
  isBlock: boolean;
}

/** Result of one attempt. */
export type Outcome =
  | { kind: 'sent'; atPlatform?: AtPlatform }
  /** Not tried again: it will never work, or its result cannot be known. */
  | { kind: 'failed'; error: string; unreachable?: Unreachable }
  /** Not tried again, because the results of the earlier `attempts` are unknown. */
  | { kind: 'abandoned'; attempts: number; error: string }
  /** Nobody is to have it any more: no attempt. */
  | { kind: 'canceled'; reason?: string }
  /** It did not leave, or (`mayHaveLeft`) nobody knows, and may if tried again. */
  | { kind: 'failed-for-now'; error: string; mayHaveLeft?: boolean }
  /** This one must wait, and no other: no attempt. `isUnasked`: the platform was asked nothing. */
  | { kind: 'not-yet'; until: string; isUnasked?: true }
  /** It waits until its sequence goes on: no attempt. */
  | { kind: 'held' }
  /** The provider takes fewer at a time: no attempt. */
  | { kind: 'throttled'; error: string }
  /** The provider takes nothing from this deployment, until its operator has mended that: no attempt. */
  | { kind: 'refused'; error: string }
  /** The provider refuses everything from this account until a time: no attempt. */
  | { kind: 'wait'; untilMs: number; waitSeconds: number }
  /** The account can no longer be used: no attempt. */
  | { kind: 'lost'; state: 'disconnected' | 'banned' };

/**
 * Writes down that so many of a job's files, counted from the first, have arrived: they are never sent again; and what the platform
 * calls their message.
 */
export type Confirm = (files: number, atPlatform: AtPlatform | undefined) => Promise<void>;

/** A connection of one account, used by one process at a time. */
export interface Sender {
  /** How often a message may be sent again of which nobody knows whether it left; without end where a repetition delivers nothing. */
  maxRepeats: number;
  /** Returns the current secret of the account, if sending renews it. */
  secret?(): string;
  send(job: StoredJob, confirm: Confirm): Promise<Outcome>;
  close(): Promise<void>;
}

export type OpenSender = (tenant: Tenant, account: StoredAccount) => Promise<Sender>;
