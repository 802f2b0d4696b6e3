import { createHash, createHmac } from 'node:crypto';

interface Asked {
  method?: string;
  headers?: Record<string, string>;
}

/** Whether S3 would take the signature of a presigned URL for this request (Signature Version 4): the local S3 does not look at it. */
export function isSignedFor(url: string | URL, { method = 'GET', headers = {} }: Asked = {}): boolean {
  const { host, pathname, searchParams } = new URL(url);
  const of = (name: string) => searchParams.get(`X-Amz-${name}`) ?? '';
  const [, ...scope] = of('Credential').split('/');
  const given: Record<string, string> = { host, ...headers };
  const signed = of('SignedHeaders').split(';');
  const query = [...searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort();
  const path = pathname.split('/').map((segment) => encoded(decodeURIComponent(segment)));
  const lines = signed.map((name) => `${name}:${given[name] ?? ''}\n`);
  const canonical = [method, path.join('/'), query.join('&'), lines.join(''), signed.join(';'), 'UNSIGNED-PAYLOAD'];
  const toSign = ['AWS4-HMAC-SHA256', of('Date'), scope.join('/'), sha256(canonical.join('\n'))].join('\n');
  const secret = `AWS4${process.env['AWS_SECRET_ACCESS_KEY']}`;
  const key = scope.reduce<string | Buffer>((from, part) => hmac(from, part).digest(), secret);
  return hmac(key, toSign).digest('hex') === of('Signature');
}

/** RFC 3986: `encodeURIComponent` leaves out five of what it reserves. */
const encoded = (text: string) =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

const hmac = (key: string | Buffer, of: string) => createHmac('sha256', key).update(of);
const sha256 = (of: string) => createHash('sha256').update(of).digest('hex');
