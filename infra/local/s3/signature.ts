import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { now } from '#lib/clock.ts';
import { AwsError } from '../aws-error.ts';
import type { Signer } from '../iam.ts';

/** A request as far as its signature goes over it. */
interface Signed {
  method: string;
  /** As it was sent, without the query. */
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
}

/** What a request says of its own signature. */
interface Claim {
  credential: string;
  signedHeaders: string;
  signature: string;
  /** `20261122T201500Z`. */
  date: string;
  payloadHash: string;
}

const algorithm = 'AWS4-HMAC-SHA256';
const maxSkewMs = 15 * 60 * 1000;
const maxExpiresSeconds = 7 * 24 * 60 * 60;

/** Whose an access key is. */
export type FindSigner = (accessKeyId: string) => Signer | undefined;

/**
 * Who signed (Signature Version 4), in the Authorization header or in the query, this request at this time. Refuses what nobody has. As
 * in AWS the host and every x-amz header must be signed.
 */
export function requireSignature(request: Signed, signer: FindSigner, region: string): Signer {
  const claim = request.query.has('X-Amz-Signature') ? presigned(request) : signedInHeader(request);
  const [key = '', day = '', ...scope] = claim.credential.split('/');
  const found = signer(key);
  if (!found) throw denied('InvalidAccessKeyId', 'The AWS Access Key Id you provided does not exist in our records.');
  if (scope.join('/') !== `${region}/s3/aws4_request` || !claim.date.startsWith(day))
    throw denied('SignatureDoesNotMatch', 'The credential is of another day, region or service.');
  const signed = claim.signedHeaders.split(';');
  const unsigned = Object.keys(request.headers).filter((name) => name.startsWith('x-amz-') && !signed.includes(name));
  if (!signed.includes('host') || unsigned.length > 0)
    throw denied('AccessDenied', 'There were headers present in the request which were not signed');
  const signingKey = [day, ...scope].reduce<string | Buffer>(hmac, `AWS4${found.secretAccessKey}`);
  const toSign = [algorithm, claim.date, [day, ...scope].join('/'), sha256(canonical(request, claim, signed))];
  if (!isEqual(hmac(signingKey, toSign.join('\n')).toString('hex'), claim.signature)) {
    const message = 'The request signature we calculated does not match the signature you provided.';
    throw denied('SignatureDoesNotMatch', message);
  }
  return found;
}

function presigned({ query }: Signed): Claim {
  const of = (name: string) => query.get(`X-Amz-${name}`) ?? '';
  const seconds = Number(of('Expires'));
  const date = of('Date');
  const signedAtMs = timeOf(date);
  if (of('Algorithm') !== algorithm || !(seconds >= 1 && seconds <= maxExpiresSeconds) || Number.isNaN(signedAtMs)) {
    const message = 'The query parameters of the signature are missing or wrong.';
    throw new AwsError('AuthorizationQueryParametersError', message);
  }
  if (signedAtMs - now() > maxSkewMs) throw denied('AccessDenied', 'Request is not valid yet');
  if (now() > signedAtMs + seconds * 1000) throw denied('AccessDenied', 'Request has expired');
  return {
    credential: of('Credential'),
    signedHeaders: of('SignedHeaders'),
    signature: of('Signature'),
    date,
    payloadHash: 'UNSIGNED-PAYLOAD',
  };
}

const authorization = /^AWS4-HMAC-SHA256 Credential=([^,\s]+), ?SignedHeaders=([^,\s]+), ?Signature=([0-9a-f]{64})$/;

function signedInHeader({ headers }: Signed): Claim {
  if (headers.authorization === undefined) throw denied('AccessDenied', 'Access Denied');
  const [, credential = '', signedHeaders = '', signature] = authorization.exec(headers.authorization) ?? [];
  const [date, payloadHash] = [String(headers['x-amz-date']), headers['x-amz-content-sha256']];
  if (signature === undefined || typeof payloadHash !== 'string')
    throw new AwsError('AuthorizationHeaderMalformed', 'The authorization header is malformed.');
  // By the machine's clock, as clients sign.
  if (!(Math.abs(timeOf(date) - Date.now()) <= maxSkewMs)) {
    const message = 'The difference between the request time and the current time is too large.';
    throw denied('RequestTimeTooSkewed', message);
  }
  return { credential, signedHeaders, signature, date, payloadHash };
}

function canonical({ method, path, query, headers }: Signed, { payloadHash }: Claim, signed: readonly string[]) {
  const parameters = [...query]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort();
  const lines = signed.map(
    (name) =>
      `${name}:${String(headers[name] ?? '')
        .trim()
        .replaceAll(/ +/g, ' ')}\n`,
  );
  const segments = path.split('/').map((segment) => encoded(decodeURIComponent(segment)));
  return [method, segments.join('/'), parameters.join('&'), lines.join(''), signed.join(';'), payloadHash].join('\n');
}

/** RFC 3986: `encodeURIComponent` leaves out five of what it reserves. */
const encoded = (text: string) =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

const timeOf = (date: string) =>
  Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const isEqual = (one: string, other: string) => timingSafeEqual(Buffer.from(sha256(one)), Buffer.from(sha256(other)));
const denied = (code: string, message: string) => new AwsError(code, message, { status: 403 });
