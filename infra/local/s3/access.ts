import type { IncomingHttpHeaders } from 'node:http';
import { now } from '#lib/core/clock.ts';
import { AwsError } from '../aws-error.ts';
import { type Guarded, keyRefusalOf, refusalOf } from '../guard.ts';

const maxExpiresSeconds = 7 * 24 * 60 * 60;

/**
 * Raises what S3 answers to a request without the access key of this system, or by a URL that has ended. A presigned URL opens in a
 * browser as it does on AWS; other requests of web pages are refused. Signatures are not verified.
 */
export function requireAccess(headers: IncomingHttpHeaders, query: URLSearchParams, guarded: Guarded): void {
  const credential = query.get('X-Amz-Credential');
  const refusal = credential === null ? refusalOf(headers, guarded) : keyRefusalOf(credential, guarded);
  if (refusal !== undefined) throw denied(refusal);
  if (credential === null) return;
  const seconds = Number(query.get('X-Amz-Expires'));
  const signedAtMs = timeOf(query.get('X-Amz-Date') ?? '');
  if (!(seconds >= 1 && seconds <= maxExpiresSeconds) || Number.isNaN(signedAtMs))
    throw new AwsError('AuthorizationQueryParametersError', 'The query parameters of the signature are wrong.');
  if (now() > signedAtMs + seconds * 1000) throw denied('Request has expired');
}

/** Returns the time of a date such as `20261122T201500Z`. */
const timeOf = (date: string) =>
  Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));

const denied = (message: string) => new AwsError('AccessDenied', message, { status: 403 });
