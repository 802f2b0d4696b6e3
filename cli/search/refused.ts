import type { ApiError } from '../../client/index.ts';
import type { Place } from '../output.ts';

/** A refusal of the API that is about a place of an expression. */
export class RefusedExpression extends Error {
  readonly refusal: ApiError;
  readonly place: Place;

  constructor(refusal: ApiError, place: Place) {
    super(refusal.message);
    this.refusal = refusal;
    this.place = place;
  }
}
