import { ApiError } from '../../client/index.ts';
import type { Place } from '../output.ts';
import type { Expression } from './expression.ts';

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

/** Returns a refusal with the place of the expression that it is about. */
export function placed(error: unknown, source: string, { placeOf }: Expression): unknown {
  if (!(error instanceof ApiError)) return error;
  const [at] = error.fields.flatMap(({ field }) => placeOf(field) ?? []);
  return at === undefined ? error : new RefusedExpression(error, { source, at });
}
