import { env } from '#lib/core/env.ts';

/** Returns the origin of presigned URLs, without loading what signs them. Needs `link-files`. */
export function filesOrigin(): string {
  const endpoint = env('AWS_ENDPOINT_URL_S3');
  return endpoint === undefined
    ? `https://${env('FILES_BUCKET')}.s3.${env('AWS_REGION')}.amazonaws.com`
    : new URL(endpoint).origin;
}
