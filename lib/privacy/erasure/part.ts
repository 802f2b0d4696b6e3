import type { Traces } from '#lib/entities/contact.ts';

/** Counts what has been erased, by kind. */
export type Count = (kind: string) => void;

/** What is erased, in this order: no stage makes anything that an earlier one would have to erase. */
export const stages = [
  // Nothing is to leave any more, however long the others take.
  'queued',
  // What is merged into the contact comes first.
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
  // What was sent before its event lost its data may come back as an answer.
  'attempts',
  'responses',
] as const;
export type Stage = (typeof stages)[number];

/** So many threads, contacts or accounts are remembered: each saga's state is one row. */
export const maxIds = 5000;

/** What waits until no thread is left for another round: threads are found by the rows that these change, or once will do. */
export const ofLastRound: readonly Stage[] = ['rows', 'traces', 'made-of', 'attempts', 'responses'];

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

/** So many pages of a partition are read for one part of the work. */
export const pagesPerPart = 10;

/** A part of a stage that was done, and what it changes of the state. */
export interface Part extends Partial<Traces> {
  /** Whether some of the stage may be left, or of another one that is to be done now. */
  isLeft: boolean;
  stage?: Stage;
  /** From where. */
  place?: Place;
  tagIds?: number[];
  threadIds?: number[];
  contactIds?: number[];
  madeOf?: number[];
  ofId?: number;
  senderIds?: number[];
  /** More is left than one round takes. */
  isOverfull?: boolean;
}
