import { type Signal, signal } from '@preact/signals';
import { api } from '../../app/api.ts';
import type { DraftFile } from '../../app/drafts.ts';
import { t } from '../../app/texts.ts';

interface Upload {
  /** How much is there, from 0 to 1. */
  share: number;
  /** Once all bytes are there. */
  id?: number;
  error?: unknown;
}

interface Running {
  state: Signal<Upload>;
  cancel: AbortController;
}

/** The uploads of this page by the keys of their files, over navigation. */
const uploads = new Map<string, Running>();

/** Returns how far the upload of a file is; undefined if this page knows nothing of it. */
export const uploadOf = ({ key }: DraftFile): Upload | undefined => uploads.get(key)?.state.value;

/** Starts to upload a file. Returns how a draft remembers it. */
export function startUpload(file: File): DraftFile {
  const key = `${Date.now()} ${uploads.size}`;
  const running = { state: signal<Upload>({ share: 0 }), cancel: new AbortController() };
  uploads.set(key, running);
  run(file, running).catch((error: unknown) => {
    running.state.value = { share: 0, error };
  });
  return { key, name: file.name, sizeBytes: file.size, atMs: Date.now() };
}

/** Stops the upload of a file; a file that is there is removed after a day. */
export function cancelUpload({ key }: DraftFile): void {
  uploads.get(key)?.cancel.abort();
}

async function run(file: File, { state, cancel: { signal } }: Running): Promise<void> {
  const contentType = file.type || 'application/octet-stream';
  const body = { fileName: file.name, contentType, sizeBytes: file.size };
  const { id, uploadUrl, uploadHeaders } = await api.post('/v1/files', { body, signal });
  await put(file, uploadUrl, uploadHeaders['content-type'] ?? contentType, signal, (share) => {
    state.value = { share };
  });
  state.value = { share: 1, id };
}

/** `fetch` tells nobody how far it is. */
const put = (file: File, url: string, contentType: string, signal: AbortSignal, said: (share: number) => void) =>
  new Promise<void>((resolve, reject) => {
    const request = new XMLHttpRequest();
    const fail = () => reject(new Error(t.inbox.couldNotBeUploaded(file.name)));
    request.open('PUT', url);
    request.setRequestHeader('content-type', contentType);
    request.upload.onprogress = ({ loaded, total }) => said(loaded / total);
    request.onload = () => (request.status === 200 ? resolve() : fail());
    request.onerror = fail;
    request.onabort = fail;
    signal.addEventListener('abort', () => request.abort());
    request.send(file);
  });
