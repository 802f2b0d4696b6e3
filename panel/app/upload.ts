/** Puts the bytes of a file to a presigned URL, and says how far that is, from 0 to 1: `fetch` tells nobody. */
export const putFile = (
  file: File,
  { uploadUrl, uploadHeaders }: { uploadUrl: string; uploadHeaders: Readonly<Record<string, string>> },
  signal: AbortSignal,
  said: (share: number) => void,
  failure: () => Error,
) =>
  new Promise<void>((resolve, reject) => {
    const request = new XMLHttpRequest();
    const fail = () => reject(failure());
    request.open('PUT', uploadUrl);
    request.setRequestHeader('content-type', uploadHeaders['content-type'] ?? 'application/octet-stream');
    request.upload.onprogress = ({ loaded, total }) => said(loaded / total);
    request.onload = () => (request.status === 200 ? resolve() : fail());
    request.onerror = fail;
    request.onabort = fail;
    signal.addEventListener('abort', () => request.abort());
    request.send(file);
  });
