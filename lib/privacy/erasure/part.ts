import type { Traces } from '#lib/entities/contact.ts';

/** Counts what has been erased, by kind. */
export type Count = (kind: string) => void;

/** Stages of an erasure, in order: no stage writes anything that an earlier one would have to erase. */
export const stages = [
  // Nothing may leave any more, however long the other stages take.
  'queued',
  // Contacts that are merged into this one come first.
  'merges',
  'tags',
  // The contact's own; then once more those of each whom it was made of.
  'jobs',
  'enrollments',
  'threads',
  // By what they were known.
  'threads-naming',
  'jobs-naming',
  'rows',
  'traces',
  'made-of',
  'loose-messages',
  'message-ids',
  'publishing',
  'events',
  // Their files may hold what is gone by now.
  'exports',
  // Data that were sent before the erasure of their event may come back in an answer.
  'attempts',
  'responses',
  'copies',
] as const;
export type Stage = (typeof stages)[number];

/** Limit for the threads, contacts, or accounts in a saga's state, which is one row. */
export const maxIds = 5000;

/** Stages that wait for the last round: they change the rows by which threads are found, or need to run only once. */
export const ofLastRound: readonly Stage[] = [
  'rows',
  'traces',
  'made-of',
  'exports',
  'attempts',
  'responses',
  'copies',
];

/** Where a stage is. */
export interface Place {
  since?: string | null;
  after?: number | null;
  above?: string;
  below?: string;
  endpointId?: number;
  /** Attempts that were under way: `<endpoint>/<delivery>`. */
  begun?: string[];
  isWaiting?: true;
  /** The turns of senders that are waited for, of the accounts up to `seen`. */
  senderOwners?: string[];
  seen?: number;
  /** How many of the names are done. */
  named?: number;
}

/** Limit for the pages of a partition that one part of the work reads. */
export const pagesPerPart = 10;

/** Result of a part of a stage, with its changes to the state. */
export interface Part extends Partial<Traces> {
  /** Whether some of the stage may be left, or of another stage that runs now. */
  isLeft: boolean;
  stage?: Stage;
  /** From where. */
  place?: Place;
  tagIds?: number[];
  emailsLeft?: string[];
  threadIds?: number[];
  contactIds?: number[];
  madeOf?: number[];
  ofId?: number;
  senderIds?: number[];
  /** More is left than one round takes. */
  isOverfull?: boolean;
}
