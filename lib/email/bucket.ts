import { randomUUID } from 'node:crypto';
import { GetObjectCommand, PutObjectCommand, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3';
import { ownConnections } from '#lib/aws/connections.ts';
import { env } from '#lib/core/env.ts';

let client: S3Client | undefined;
const s3 = () => {
  client ??= new S3Client({ requestHandler: ownConnections });
  return client;
};

/** A raw mail as SES stored it. */
export async function fetchMail(key: string): Promise<Uint8Array> {
  const { Body } = await s3().send(new GetObjectCommand({ Bucket: env('MAIL_BUCKET'), Key: key }));
  if (!Body) throw new Error('the stored mail is empty');
  return Body.transformToByteArray();
}

/** Keeps a mail that an operator gives as SES keeps those that come. Returns its key. */
export async function keepMail(raw: string): Promise<string> {
  const Key = `operator/${randomUUID()}`;
  await s3().send(new PutObjectCommand({ Bucket: env('MAIL_BUCKET'), Key, Body: raw }));
  return Key;
}

/** SES puts this into a bucket when a rule first names it. */
const setupKey = 'AMAZON_SES_SETUP_NOTIFICATION';

/** The keys of all mails that SES has stored since, the oldest first. */
export async function keysSince(since: string): Promise<string[]> {
  const found: { key: string; at: number }[] = [];
  for await (const { Contents = [] } of paginateListObjectsV2({ client: s3() }, { Bucket: env('MAIL_BUCKET') })) {
    for (const { Key: key = '', LastModified } of Contents) found.push({ key, at: LastModified?.getTime() ?? 0 });
  }
  const wanted = found.filter(({ key, at }) => at >= Date.parse(since) && !key.endsWith(setupKey));
  return wanted.sort((a, b) => a.at - b.at).map(({ key }) => key);
}
