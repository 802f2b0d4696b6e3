import { useRef } from 'preact/hooks';
import { api } from '../../app/api.ts';
import { may } from '../../app/session.ts';
import { fileSize } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { complain } from '../../app/toasts.ts';
import { Icon } from '../../parts/icon.tsx';
import { UserText } from '../../parts/user-text.tsx';

/** A file that goes with a message; it has an id once its bytes are there. */
export interface Upload {
  file: File;
  id: number | undefined;
}

interface UploadsProps {
  of: readonly Upload[];
  change(to: (before: readonly Upload[]) => readonly Upload[]): void;
}

/** As many a message takes. */
const maxFiles = 10;

async function upload(file: File): Promise<number> {
  const body = { fileName: file.name, contentType: file.type || 'application/octet-stream', sizeBytes: file.size };
  const { id, uploadUrl } = await api.post('/v1/files', { body });
  const headers = { 'content-type': body.contentType };
  const answer = await fetch(uploadUrl, { method: 'PUT', body: file, headers });
  if (!answer.ok) throw new Error(t.inbox.couldNotBeUploaded(file.name));
  return id;
}

/** The button that adds files to an answer; they are uploaded at once. */
export function AttachButton({ of, change }: UploadsProps) {
  const field = useRef<HTMLInputElement>(null);
  if (!may('email:send') && !may('telegram:send')) return null;
  const add = (files: FileList | null) => {
    for (const file of [...(files ?? [])].slice(0, maxFiles - of.length)) {
      change((before) => [...before, { file, id: undefined }]);
      upload(file).then(
        (id) => change((before) => before.map((one) => (one.file === file ? { file, id } : one))),
        (error: unknown) => {
          change((before) => before.filter((one) => one.file !== file));
          complain(error);
        },
      );
    }
    if (field.current) field.current.value = '';
  };
  return (
    <>
      <input
        ref={field}
        type="file"
        multiple
        class="hidden"
        tabIndex={-1}
        aria-label={t.inbox.filesToAttach}
        onChange={({ currentTarget }) => add(currentTarget.files)}
      />
      <button
        type="button"
        aria-label={t.inbox.attachFiles}
        title={t.inbox.attachFiles}
        disabled={of.length >= maxFiles}
        onClick={() => field.current?.click()}
      >
        <Icon name="file" />
      </button>
    </>
  );
}

/** The files of an answer. */
export const Uploads = ({ of, change }: UploadsProps) =>
  of.length === 0 ? null : (
    <ul class="files">
      {of.map(({ file, id }) => (
        <li key={`${file.name} ${file.lastModified} ${file.size}`} class="upload">
          <UserText text={file.name} isName />
          <span class="muted">{id === undefined ? t.inbox.isUploading : fileSize(file.size)}</span>
          <button
            type="button"
            class="quiet"
            aria-label={t.inbox.withoutTheFile(file.name)}
            onClick={() => change((before) => before.filter((one) => one.file !== file))}
          >
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );
