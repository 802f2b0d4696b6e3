import { randomUUID } from 'node:crypto';

/** A file of a form, whose bytes are asked for when their turn has come. */
export interface FormFile {
  field: string;
  fileName: string;
  contentType: string;
  sizeBytes: number;
  open(): Promise<AsyncIterable<Uint8Array>>;
}

export interface Form {
  contentType: string;
  sizeBytes: number;
  body(): AsyncGenerator<Uint8Array>;
}

/** `multipart/form-data` (RFC 7578) whose length is known before any of its files is read. */
export function multipart(fields: Readonly<Record<string, string>>, files: readonly FormFile[]): Form {
  const boundary = randomUUID();
  const part = (disposition: string, more = '') =>
    Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; ${disposition}\r\n${more}\r\n`);
  const plain = Buffer.concat(
    Object.entries(fields).flatMap(([name, value]) => [part(`name="${name}"`), Buffer.from(`${value}\r\n`)]),
  );
  const heads = files.map(({ field, fileName, contentType }) =>
    part(`name="${field}"; filename="${quotable(fileName)}"`, `content-type: ${oneLine(contentType)}\r\n`),
  );
  const [lineEnd, end] = [Buffer.from('\r\n'), Buffer.from(`--${boundary}--\r\n`)];
  const sizes = files.map(({ sizeBytes }, index) => (heads[index] as Buffer).length + sizeBytes + lineEnd.length);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    sizeBytes: sizes.reduce((sum, size) => sum + size, plain.length + end.length),
    async *body() {
      yield plain;
      for (const [index, file] of files.entries()) {
        yield heads[index] as Buffer;
        yield* await file.open();
        yield lineEnd;
      }
      yield end;
    },
  };
}

/** As browsers write a name between quotes. */
const quotable = (fileName: string) =>
  fileName.replaceAll(/["\r\n]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);

const oneLine = (text: string) => text.replaceAll(/[^\x20-\x7e]/g, '');
