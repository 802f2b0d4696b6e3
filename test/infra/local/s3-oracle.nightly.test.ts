import { createHash } from 'node:crypto';
import { type GetObjectCommandInput, S3 } from '@aws-sdk/client-s3';
import { afterAll, test, vi } from 'vitest';
import { startS3 } from '#infra/local/s3.ts';
import { temporaryFolder } from '#test/infra/local/cloud-assembly.ts';
import { clientOf, compareWithMoto, guarded, home, Play } from '#test/infra/local/oracle.ts';

const Bucket = 'oracle';

afterAll(() => vi.unstubAllEnvs());

async function play(endpoint: string, isLocal: boolean) {
  const client = clientOf(endpoint);
  const s3 = new S3({ ...client, forcePathStyle: true });
  const game = new Play(/^(LastModified|NextContinuationToken)$/);
  const ask = game.ask.bind(game);
  if (!isLocal) await s3.createBucket({ Bucket });
  const on = { Bucket };
  const put = (step: string, Key: string, Body: string | Buffer, more: object = {}) =>
    ask(step, s3.putObject({ ...on, Key, Body, ...more }));
  const get = (step: string, Key: string, more: Partial<GetObjectCommandInput> = {}) =>
    ask(
      step,
      s3.getObject({ ...on, Key, ...more }).then(async ({ Body, ...said }) => ({
        ...said,
        text: await Body?.transformToString(),
      })),
    );

  await put('put', 'a/1', 'Hello', { ContentType: 'text/plain', Metadata: { note: 'x' } });
  await put('put bytes of no type', 'a/2', Buffer.from([1, 2, 3]));
  await put('put nothing', 'a/empty', '');
  await put('put a name with signs', 'a/ü (1)+&.txt', 'name');
  await put('put over it', 'a/2', 'two');
  await put('put with a checksum', 'a/3', 'Hello', {
    ChecksumSHA256: createHash('sha256').update('Hello').digest('base64'),
  });
  await put('put with the checksum of another', 'd/1', 'Hello', {
    ChecksumSHA256: createHash('sha256').update('Bye').digest('base64'),
  });
  await put('put with the MD5 of another', 'd/1', 'Hello', {
    ContentMD5: createHash('md5').update('Bye').digest('base64'),
  });
  await put('put in no bucket', 'a/1', 'x', { Bucket: 'none-of-ours' });
  await put('put a name of 1,024 bytes', 'k'.repeat(1024), 'x');
  await put('put a name of 1,025 bytes', 'k'.repeat(1025), 'x');

  await get('get', 'a/1');
  await get('get the empty one', 'a/empty');
  await get('get a name with signs', 'a/ü (1)+&.txt');
  await get('get what is not there', 'a/none');
  await get('get what was refused', 'd/1');
  await get('get from no bucket', 'a/1', { Bucket: 'none-of-ours' });
  for (const range of [
    'bytes=0-1',
    'bytes=1-',
    'bytes=-2',
    'bytes=3-99',
    'bytes=9-',
    'bytes=2-1',
    'lines=1-2',
    'bytes=0-0,2-2',
  ])
    await get(`get ${range}`, 'a/1', { Range: range });
  await get('get with another name', 'a/1', {
    ResponseContentDisposition: 'attachment; filename="x.txt"',
    ResponseContentType: 'text/html',
  });
  await ask('head', s3.headObject({ ...on, Key: 'a/1' }));
  await ask('head with its checksum', s3.headObject({ ...on, Key: 'a/1', ChecksumMode: 'ENABLED' }));
  await get('get with the checksum that it was put with', 'a/3');
  await ask('head what is not there', s3.headObject({ ...on, Key: 'a/none' }));

  await ask(
    'copy',
    s3
      .copyObject({ ...on, Key: 'b/1', CopySource: `${Bucket}/a/1` })
      .then(({ CopyObjectResult }) => CopyObjectResult?.ETag),
  );
  await get('get the copy', 'b/1');
  await ask('copy what is not there', s3.copyObject({ ...on, Key: 'b/2', CopySource: `${Bucket}/a/none` }));
  await ask('copy from no bucket', s3.copyObject({ ...on, Key: 'b/2', CopySource: 'none-of-ours/a/1' }));

  const list = (step: string, more: object) =>
    ask(
      step,
      s3.listObjectsV2({ ...on, ...more }).then(({ Contents, IsTruncated, KeyCount, NextContinuationToken }) => ({
        Contents: Contents?.map(({ Key, Size, ETag }) => ({ Key, Size, ETag })),
        IsTruncated,
        KeyCount,
        NextContinuationToken,
      })),
    );
  await list('list', { Prefix: 'a/' });
  await list('list nothing', { Prefix: 'z/' });
  await list('list some', { Prefix: 'a/', MaxKeys: 2 });
  const { NextContinuationToken } = await s3.listObjectsV2({ ...on, Prefix: 'a/', MaxKeys: 2 });
  await list('list the rest', { Prefix: 'a/', ContinuationToken: NextContinuationToken });
  await ask('list no bucket', s3.listObjectsV2({ Bucket: 'none-of-ours' }));

  // As lib/files makes them.
  vi.stubEnv('AWS_ENDPOINT_URL_S3', endpoint);
  vi.stubEnv('FILES_BUCKET', Bucket);
  vi.stubEnv('AWS_REGION', home.region);
  vi.stubEnv('AWS_ACCESS_KEY_ID', client.credentials.accessKeyId);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', client.credentials.secretAccessKey);
  const open = async (step: string, url: string, init: RequestInit = {}) => {
    const answer = await fetch(url, init);
    const text = await answer.text();
    game.note(step, {
      status: answer.status,
      said: answer.ok ? text : /<Code>(.*)<\/Code>/.exec(text)?.[1],
      disposition: answer.headers.get('content-disposition'),
    });
  };
  // A process has one client, and there are two endpoints.
  vi.resetModules();
  const { downloadUrlOf, uploadUrlOf } = await import('#lib/files/presigned.ts');
  const upload = await uploadUrlOf('c/1', { contentType: 'text/plain', sizeBytes: 8, expiresSeconds: 60 });
  const download = (key = 'c/1', expiresSeconds = 60) =>
    downloadUrlOf(key, { disposition: 'attachment; filename="a b"', contentType: 'text/plain', expiresSeconds });
  const headers = { 'content-type': 'text/plain', 'content-length': '8' };
  await open('upload', upload, { method: 'PUT', body: 'uploaded', headers });
  await open('download', await download());
  await open('download what is not there', await download('c/none'));
  await open('download by a URL that has ended', await download('c/1', -1));
  await open('download without a signature', (await download()).replace(/\?.*/, ''));

  await ask('delete', s3.deleteObject({ ...on, Key: 'c/1' }));
  await ask('delete what is gone', s3.deleteObject({ ...on, Key: 'c/1' }));
  const Objects = ['a/1', 'a/none', 'a/ü (1)+&.txt'].map((Key) => ({ Key }));
  await ask('delete several', s3.deleteObjects({ ...on, Delete: { Objects } }));
  await ask('delete several quietly', s3.deleteObjects({ ...on, Delete: { Objects, Quiet: true } }));
  await ask(
    'delete more than a thousand',
    s3.deleteObjects({ ...on, Delete: { Objects: Array.from({ length: 1001 }, (_, index) => ({ Key: `${index}` })) } }),
  );
  await ask('delete none', s3.deleteObjects({ ...on, Delete: { Objects: [] } }));
  await list('list what is left', { Prefix: 'a/' });
  s3.destroy();
  return game.answers;
}

/** Where S3's documentation is followed rather than moto. */
const differences = {
  'moto checks no sums': ['put with the MD5 of another', 'put with the checksum of another', 'get what was refused'],
  'moto keeps no sum that stands in the head': ['put with a checksum', 'get with the checksum that it was put with'],
  'moto looks at no time of a URL': ['download by a URL that has ended'],
  'moto knows no limits of names and of lists': ['put a name of 1,025 bytes', 'delete more than a thousand'],
  'moto says no code': ['download without a signature'],
  'a range of another unit is none': ['get lines=1-2'],
};

test('the local S3 answers as moto does', async (context) => {
  const folder = temporaryFolder();
  let url = '';
  const start = async () => {
    const local = await startS3({ ...guarded, folder: folder.path });
    local.configure([{ name: Bucket, expirations: [] }]);
    url = local.url;
    return local;
  };
  await compareWithMoto(context, { play: (endpoint) => play(endpoint, endpoint === url), differences, start }).finally(
    folder.remove,
  );
});
