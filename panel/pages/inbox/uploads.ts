import { type Signal, signal } from '@preact/signals';
import { api } from '../../app/api.ts';
import type { DraftFile } from '../../app/drafts.ts';
import { t } from '../../app/texts.ts';
import { putFile } from '../../app/upload.ts';

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
  const announced = await api.post('/v1/files', { body, signal });
  const failure = () => new Error(t.inbox.couldNotBeUploaded(file.name));
  const said = (share: number) => {
    state.value = { share };
  };
  await putFile(file, announced, signal, said, failure);
  state.value = { share: 1, id: announced.id };
}
