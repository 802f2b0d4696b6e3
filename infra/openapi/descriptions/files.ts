import type { Noun } from './noun.ts';

export const files: Noun = {
  about: 'Files to be sent with messages, or to be imported.',
  operations: {
    filesCreate:
      'Makes room for a file that you want to send or import. PUT the bytes to `uploadUrl` with exactly the `uploadHeaders`, then name the id in `attachments` of a message, or as `fileId` of an import. The call itself takes no bytes. The file is removed after 24 hours unless a message takes it.',
  },
  schemas: {
    CreateFile: {
      purpose: [
        'Use of the file. `import` needs the scope `imports:run`, others a sending scope. Default `message`.',
        { message: 'it is sent with a message', import: 'its rows become records' },
      ],
      fileName: 'Name the recipient sees, 1 to 255 characters. Folders are removed from it.',
      contentType: 'Media type of the file, for example `application/pdf`.',
      sizeBytes:
        'Exact size of the file in bytes: up to 52,428,800 (50 MiB), for an import up to 209,715,200 (200 MiB).',
    },
    FileUpload: {
      id: 'Id of the file, to be named in `attachments` or as `fileId`.',
      uploadUrl: 'Address to PUT the bytes to, without a key.',
      uploadHeaders: 'Headers that the upload must carry, as they are.',
      expiresAt: 'When `uploadUrl` stops working, one hour after this call.',
    },
  },
};
