import { createHash, createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** A POST as a service receives it. */
export interface Received {
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** The header by which AWS would know who sends it (Signature Version 4). */
export function authorizationOf({ url, headers, body }: Received): string {
  const { AWS_ACCESS_KEY_ID: keyId, AWS_SECRET_ACCESS_KEY: secret } = process.env;
  const [, scope = '', signed = ''] = /=[^/]+\/(\S+), SignedHeaders=(\S+),/.exec(`${headers.authorization}`) ?? [];
  const lines = signed.split(';').map((name) => `${name}:${headers[name]}\n`);
  const canonical = ['POST', url, '', lines.join(''), signed, sha256(body)].join('\n');
  const signedText = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n');
  const key = scope.split('/').reduce<string | Buffer>((of, part) => hmac(of, part).digest(), `AWS4${secret}`);
  const signature = hmac(key, signedText).digest('hex');
  return `AWS4-HMAC-SHA256 Credential=${keyId}/${scope}, SignedHeaders=${signed}, Signature=${signature}`;
}

const hmac = (key: string | Buffer, of: string) => createHmac('sha256', key).update(of);
const sha256 = (of: string) => createHash('sha256').update(of).digest('hex');
