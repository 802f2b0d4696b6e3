import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { env } from '#lib/env.ts';

let client: S3Client | undefined;

/** A raw mail as SES stored it. */
export async function fetchMail(key: string): Promise<Uint8Array> {
  client ??= new S3Client({});
  const { Body } = await client.send(new GetObjectCommand({ Bucket: env('MAIL_BUCKET'), Key: key }));
  if (!Body) throw new Error('the stored mail is empty');
  return Body.transformToByteArray();
}
