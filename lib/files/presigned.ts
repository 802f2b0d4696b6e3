import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { now } from '#lib/core/clock.ts';
import { env } from '#lib/core/env.ts';

let client: S3Client | undefined;
/** Signs alone. A sum of the bytes, which the client adds by default, cannot be signed before there are any. */
const signer = () => {
  client ??= new S3Client({
    forcePathStyle: env('AWS_ENDPOINT_URL_S3') !== undefined,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  return client;
};

interface Upload {
  contentType: string;
  sizeBytes: number;
  expiresSeconds: number;
}

/** Returns a URL with which anybody may store one object of this type and size in the bucket of files for a while. */
export function uploadUrlOf(key: string, { contentType, sizeBytes, expiresSeconds }: Upload): Promise<string> {
  const object = { Bucket: env('FILES_BUCKET'), Key: key, ContentType: contentType, ContentLength: sizeBytes };
  // The presigner leaves the type to whoever uploads unless it is named here.
  const signableHeaders = new Set(['content-type']);
  return getSignedUrl(signer(), new PutObjectCommand(object), { ...validFor(expiresSeconds), signableHeaders });
}

interface Download {
  /** Headers of the answer. */
  disposition: string;
  contentType: string;
  expiresSeconds: number;
}

/** Returns a URL with which anybody may read one object of the bucket of files for a while. */
export function downloadUrlOf(key: string, { disposition, contentType, expiresSeconds }: Download): Promise<string> {
  const command = new GetObjectCommand({
    Bucket: env('FILES_BUCKET'),
    Key: key,
    ResponseContentDisposition: disposition,
    ResponseContentType: contentType,
  });
  return getSignedUrl(signer(), command, validFor(expiresSeconds));
}

const validFor = (expiresIn: number) => ({ expiresIn, signingDate: new Date(now()) });
