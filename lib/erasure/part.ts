/** Counts what has been erased, by kind. */
export type Count = (kind: string) => void;

/** Where a stage is. */
export interface Place {
  since?: string | null;
  after?: number | null;
  above?: string;
  below?: string;
}

/** So many pages of a partition are read for one part of the work. */
export const pagesPerPart = 10;

/** A part of a stage that was done. */
export interface Part {
  /** Whether some of the stage may be left. */
  isLeft: boolean;
  /** From where. */
  place?: Place;
  threadIds?: number[];
  contactIds?: number[];
}
