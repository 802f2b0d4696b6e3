import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { now } from '#lib/core/clock.ts';
import { redirect } from '#test/endpoints.ts';

/** S3 with one bucket of mails, for this process and until it is closed. */
export async function mailBucket(domain: string) {
  const mails = new Map<string, { raw: string | undefined; at: Date }>();
  const listed = () =>
    [...mails].map(
      ([key, { at }]) => `<Contents><Key>${key}</Key><LastModified>${at.toISOString()}</LastModified></Contents>`,
    );
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://s3');
    if (searchParams.has('list-type')) {
      response.end(`<ListBucketResult><IsTruncated>false</IsTruncated>${listed().join('')}</ListBucketResult>`);
      return;
    }
    const key = decodeURIComponent(pathname.split('/').slice(2).join('/'));
    if (request.method === 'PUT') {
      mails.set(key, { raw: await text(request), at: new Date(now()) });
      response.end();
      return;
    }
    const mail = mails.get(key);
    response.writeHead(mail?.raw === undefined ? 404 : 200).end(mail?.raw ?? '<Error><Code>NoSuchKey</Code></Error>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const restore = redirect('S3', `http://127.0.0.1:${port}`);
  Object.assign(process.env, { MAIL_BUCKET: 'mail', MAIL_DOMAIN: domain });
  return {
    /** What has no text is listed, and gone when it is read. */
    put: (key: string, raw: string | undefined, at = new Date(now())) => void mails.set(key, { raw, at }),
    close() {
      restore();
      server.close();
    },
  };
}
