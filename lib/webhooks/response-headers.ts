import { deflateRawSync, inflateRawSync } from 'node:zlib';
import * as v from 'valibot';
import { oneLine } from '#lib/core/text.ts';

export type ResponseHeaders = Readonly<Record<string, string>>;

/** Size of one answer's headers as JSON (contract section 25). */
const maxBytes = 4096;
/** Names of headers whose values are credentials. */
const secret = /cookie|authorization|token|secret|password|credential|session|csrf|xsrf|api-?key/i;
const redacted = '[redacted]';

/** Returns the headers of an answer to keep: those that fit, in their order, with the values of secret ones redacted. */
export function keepHeaders(received: Readonly<Record<string, string | string[] | undefined>>): ResponseHeaders {
  let bytes = 2;
  const kept = Object.entries(received).flatMap(([name, value = '']) => {
    const header = [name, secret.test(name) ? redacted : oneLine([value].flat().join(', '))] as const;
    const size = Buffer.byteLength(JSON.stringify(header));
    if (bytes + size > maxBytes) return [];
    bytes += size;
    return [header];
  });
  return Object.fromEntries(kept);
}

/**
 * Size of the packed headers of all attempts of a delivery: its row is written again with each attempt, and costs a unit for each
 * KB. The headers of one attempt always fit.
 */
const maxPackedCharacters = 6000;
/** Bound of unpacking: an archive may hold anything. */
const maxOutputLength = 64 * 1024;

/** Common headers, the most frequent last, as the dictionary of deflate. Rows are read with it for 30 days after their last write. */
const dictionary = Buffer.from(
  [
    '"apigw-requestid":"","x-amzn-requestid":"","x-amzn-trace-id":"Root=1-;Parent=;Sampled=0","x-amz-cf-pop":"","x-amz-cf-id":"',
    '"via":"1.1 .cloudfront.net (CloudFront)","x-cache":"Miss from cloudfront","x-vercel-id":"","fly-request-id":"","x-azure-ref":"',
    '"report-to":"{\\"group\\":\\"cf-nel\\",\\"max_age\\":604800,\\"endpoints\\":[{\\"url\\":\\"https://a.nel.cloudflare.com/report/v4?s=\\"}]}"',
    '"nel":"{\\"report_to\\":\\"cf-nel\\",\\"success_fraction\\":0.0,\\"max_age\\":604800}","alt-svc":"h3=\\":443\\"; ma=86400"',
    '"server":"cloudflare","cf-cache-status":"DYNAMIC","cf-ray":"-FRA","location":"https://www.","retry-after":"60","allow":"POST"',
    '"content-security-policy":"default-src \'self\'","referrer-policy":"strict-origin-when-cross-origin","permissions-policy":"',
    '"strict-transport-security":"max-age=31536000; includeSubDomains; preload","x-content-type-options":"nosniff"',
    '"x-frame-options":"SAMEORIGIN","x-xss-protection":"1; mode=block","access-control-allow-origin":"*","x-download-options":"noopen"',
    '"x-ratelimit-limit":"","x-ratelimit-remaining":"","x-ratelimit-reset":"","x-request-id":"","x-correlation-id":"","x-runtime":"0.0',
    '"server":"Apache/2.4 (Ubuntu)","x-powered-by":"PHP/8.","expires":"Thu, 01 Jan 1970 00:00:00 GMT","pragma":"no-cache"',
    '"server":"nginx/1.2","vary":"Accept-Encoding, Origin","cache-control":"no-store, no-cache, must-revalidate, private, max-age=0"',
    '"content-type":"text/plain; charset=utf-8","content-type":"text/html; charset=utf-8","content-length":"0","set-cookie":"[redacted]"',
    '"server":"nginx","x-powered-by":"Express","etag":"W/\\"2-nOO9QiTIwXgNtWtBJezz8kv3SLc\\"","content-type":"application/json","content-length":"2"',
    '","date":"Mon, Tue, Wed, Thu, Fri, Sat, Sun, Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec 2026 2027 2028 :00:00 GMT"',
    '{"1":{"connection":"close"},"2":{"transfer-encoding":"chunked","connection":"keep-alive","keep-alive":"timeout=5"},"3":{"',
  ].join(','),
);

const Packed = v.record(v.string(), v.record(v.string(), v.string()));

/** Packs the headers of one more attempt with those before. If they are too many, the headers of the first attempts are dropped. */
export function packWith(before: string | undefined, number: number, headers: ResponseHeaders): string | undefined {
  if (Object.keys(headers).length === 0) return before;
  const all: Record<string, ResponseHeaders> = { ...unpack(before), [number]: headers };
  for (const first of Object.keys(all)) {
    const packed = deflateRawSync(JSON.stringify(all), { dictionary }).toString('base64');
    if (packed.length <= maxPackedCharacters) return packed;
    delete all[first];
  }
  return undefined;
}

/** Returns the headers of each attempt that has any, by its number; none if the text cannot be unpacked. */
export function unpack(packed: string | undefined): Readonly<Record<string, ResponseHeaders>> {
  if (packed === undefined) return {};
  try {
    const text = inflateRawSync(Buffer.from(packed, 'base64'), { dictionary, maxOutputLength }).toString();
    return v.parse(Packed, JSON.parse(text));
  } catch {
    return {};
  }
}
