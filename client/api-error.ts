import type { components } from './schema.ts';

type Envelope = components['schemas']['ApiError'];

/** Error for every answer of the API except 2xx. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: Envelope['error'];
  readonly details: Envelope['details'];
  /** To be told to whoever runs the API. */
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;

  constructor(response: Response, { error, message, details }: Envelope) {
    super(message);
    this.status = response.status;
    this.code = error;
    this.details = details;
    this.requestId = response.headers.get('x-request-id');
    this.retryAfterSeconds = retryAfterSecondsOf(response);
  }

  /** Why, as one word for programs. */
  get reason(): string | null {
    return this.details?.reason ?? null;
  }

  /** The fields that a 400 is about. */
  get fields(): components['schemas']['FieldError'][] {
    return this.details?.fields ?? [];
  }
}

export function retryAfterSecondsOf({ headers }: Response): number | null {
  const given = headers.get('retry-after');
  return given !== null && /^[0-9]{1,9}$/.test(given) ? Number(given) : null;
}

/** Returns the error of an answer. Its body is not the envelope if a proxy has answered for the API. */
export function errorOf(response: Response, body: unknown): ApiError {
  if (typeof body === 'object' && body !== null && 'error' in body && 'message' in body)
    return new ApiError(response, body as Envelope);
  const message = `${response.status} from something that is not the API`;
  return new ApiError(response, { error: 'internal_error', message, details: null });
}
