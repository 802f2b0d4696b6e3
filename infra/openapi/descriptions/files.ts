import type { Noun } from './noun.ts';

export const files: Noun = {
  about: 'Files to be sent with messages.',
  operations: {
    filesCreate:
      'Makes room for a file that you want to send. PUT the bytes to `uploadUrl` with exactly the `uploadHeaders`, then name the id in `attachments` of a message. The call itself takes no bytes. A file that no message uses is removed after 24 hours.',
  },
  schemas: {
    CreateFile: {
      fileName: 'Name the recipient sees, 1 to 255 characters. Folders are removed from it.',
      contentType: 'Media type of the file, for example `application/pdf`.',
      sizeBytes: 'Exact size of the file in bytes, 1 to 52,428,800 (50 MiB).',
    },
    FileUpload: {
      id: 'Id of the file, to be named in `attachments`.',
      uploadUrl: 'Address to PUT the bytes to, without a key.',
      uploadHeaders: 'Headers that the upload must carry, as they are.',
      expiresAt: 'When `uploadUrl` stops working, one hour after this call.',
    },
  },
};
