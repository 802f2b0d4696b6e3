import { SignatureV4 } from '@smithy/signature-v4';
import { env } from '#lib/env.ts';
import { documentClient } from '#lib/table/client.ts';

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
export async function presignedUrl({
  method,
  key,
  expiresSeconds,
  query = {},
  headers = {},
}: Presigned): Promise<string> {
  const { protocol, host, hostname, port, path } = placeOf(key);
  const { credentials, sha256 } = documentClient().config;
  const signer = new SignatureV4({
    service: 's3',
    region: env('AWS_REGION'),
    credentials,
    sha256,
    uriEscapePath: false,
  });
  const signed = await signer.presign(
    {
      ...{ method, protocol, hostname, path, query, ...(port !== '' && { port: Number(port) }) },
      headers: { host, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD', ...headers },
    },
    { expiresIn: expiresSeconds },
  );
  const search = Object.entries(signed.query ?? {}).map((pair) => pair.map((text) => encoded(String(text))).join('='));
  return `${protocol}//${host}${path}?${search.join('&')}`;
}

/** Whether an object is there. Throws what may pass. */
export async function isStored(key: string): Promise<boolean> {
  const url = await presignedUrl({ method: 'HEAD', key, expiresSeconds: 60 });
  const { status } = await fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(lookMs) });
  if (status === 200) return true;
  // Who may not list a bucket is refused what is not in it.
  if (status === 404 || status === 403) return false;
  throw new Error(`S3 answered ${status}`);
}

const lookMs = 3000;

function placeOf(key: string) {
  const endpoint = env('AWS_ENDPOINT_URL_S3');
  const bucket = env('FILES_BUCKET');
  const { protocol, host, hostname, port } = new URL(
    endpoint ?? `https://${bucket}.s3.${env('AWS_REGION')}.amazonaws.com`,
  );
  return { protocol, host, hostname, port, path: endpoint === undefined ? `/${key}` : `/${bucket}/${key}` };
}

/** RFC 3986, as it was signed. */
const encoded = (text: string) =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
