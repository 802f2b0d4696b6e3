import { endpointOf, signed } from '#lib/aws/signed.ts';
import { timestamp } from '#lib/clock.ts';
import { env } from '#lib/env.ts';

interface Presigned {
  method: 'GET' | 'HEAD' | 'PUT';
  key: string;
  expiresSeconds: number;
  query?: Record<string, string>;
  /** What the request must carry besides, as it is written here. */
  headers?: Record<string, string>;
}

/**
 * A URL with which anybody may do one thing to one object of the bucket of files for a while. It is signed here because S3's client is
 * three times as large as everything else that an API function carries.
 */
export function presignedUrl({ method, key, expiresSeconds, query = {}, headers = {} }: Presigned): string {
  const { origin, host, path } = placeOf(key);
  const date = timestamp().replaceAll(/[-:]/g, '');
  const search = new URLSearchParams({ ...query, 'X-Amz-Date': date, 'X-Amz-Expires': String(expiresSeconds) });
  const request = { service: 's3', method, path: `${path}?${search}`, headers: { host, ...headers }, signQuery: true };
  return `${origin}${signed(request).path}`;
}

/** Whether an object is there. Throws what may pass. */
export async function isStored(key: string): Promise<boolean> {
  const url = presignedUrl({ method: 'HEAD', key, expiresSeconds: 60 });
  const { status } = await fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(lookMs) });
  if (status === 200) return true;
  // Not 403: who asks may list the bucket, and a refusal is ours.
  if (status === 404) return false;
  throw new Error(`S3 answered ${status}`);
}

const lookMs = 3000;

function placeOf(key: string) {
  const { protocol, host, origin } = endpointOf('s3');
  const bucket = env('FILES_BUCKET');
  // Only another S3 than Amazon's is asked for a bucket by the path.
  if (env('AWS_ENDPOINT_URL_S3') !== undefined) return { origin, host, path: `/${bucket}/${key}` };
  return { origin: `${protocol}//${bucket}.${host}`, host: `${bucket}.${host}`, path: `/${key}` };
}
