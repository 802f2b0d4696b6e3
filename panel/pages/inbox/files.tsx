import { useEffect, useRef, useState } from 'preact/hooks';
import type { DraftFile } from '../../app/drafts.ts';
import { count, fileSize } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { complain } from '../../app/toasts.ts';
import { Icon } from '../../parts/icon.tsx';
import { UserText } from '../../parts/user-text.tsx';
import { cancelUpload, startUpload, uploadOf } from './uploads.ts';
import { maxFiles, type Way } from './ways.ts';

/** A file that no message has taken is removed after a day. */
const keptMs = 24 * 60 * 60_000;

type State = 'ready' | 'uploading' | 'failed' | 'gone';

function stateOf(file: DraftFile): State {
  const upload = uploadOf(file);
  if (file.id !== undefined || upload?.id !== undefined) return Date.now() < file.atMs + keptMs ? 'ready' : 'gone';
  if (!upload) return 'gone';
  return upload.error === undefined ? 'uploading' : 'failed';
}

/** Returns the size of binary megabytes as people write it. */
const megabytes = (bytes: number) => fileSize((bytes / 1024 ** 2) * 1e6);

/** Returns what a way takes of files, in words. */
function limitsOf({ title, files }: Way): string {
  if (!files) return t.inbox.takesNoFiles(title);
  const { maxBytes, maxTotalBytes, maxLength, needsText } = files;
  return maxTotalBytes < maxFiles * maxBytes
    ? t.inbox.filesTogether(count(maxFiles), megabytes(maxTotalBytes))
    : t.inbox.filesEach(count(maxFiles), megabytes(maxBytes)) +
        (needsText ? '' : ` ${t.inbox.textWithFiles(count(maxLength))}`);
}

/** Returns why one file cannot go this way. */
function refusalOf({ name, sizeBytes }: Pick<DraftFile, 'name' | 'sizeBytes'>, way: Way): string | undefined {
  if (!way.files) return t.inbox.takesNoFiles(way.title);
  if (sizeBytes === 0) return t.inbox.isEmptyFile(name);
  return sizeBytes > way.files.maxBytes ? t.inbox.isTooLarge(name, megabytes(way.files.maxBytes)) : undefined;
}

/** Returns why an answer with these files cannot be sent. */
export function problemOf(files: readonly DraftFile[], way: Way, hasButtons: boolean): string | undefined {
  for (const file of files) {
    const state = stateOf(file);
    if (state === 'gone') return t.inbox.fileIsGone(file.name);
    if (state === 'failed') return t.inbox.couldNotBeUploaded(file.name);
    const refusal = refusalOf(file, way);
    if (refusal !== undefined) return refusal;
  }
  const sumBytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (way.files && (files.length > maxFiles || sumBytes > way.files.maxTotalBytes)) return limitsOf(way);
  return hasButtons && files.length > 1 ? t.inbox.buttonsTakeOneFile : undefined;
}

type Change = (to: (before: readonly DraftFile[]) => readonly DraftFile[]) => void;

/** Returns the files of an answer as far as they are there, and what adds some. */
export function useFiles(files: readonly DraftFile[], way: Way | undefined, change: Change) {
  const uploaded = files.filter((file) => file.id === undefined && uploadOf(file)?.id !== undefined);
  useEffect(() => {
    if (uploaded.length > 0) change((before) => before.map((file) => ({ ...file, id: file.id ?? uploadOf(file)?.id })));
  }, [uploaded.length]);
  const add = (some: Iterable<File>) => {
    if (!way) return;
    for (const [at, file] of [...some].entries()) {
      const refusal = refusalOf({ name: file.name, sizeBytes: file.size }, way);
      if (files.length + at >= maxFiles) return complain(new Error(t.inbox.moreFilesThan(count(maxFiles))));
      if (refusal !== undefined) complain(new Error(refusal));
      else {
        const started = startUpload(file);
        change((before) => [...before, started]);
      }
    }
  };
  return {
    add,
    isUploading: files.some((file) => stateOf(file) === 'uploading'),
    ids: files.flatMap((file) => file.id ?? uploadOf(file)?.id ?? []),
    isDragged: useDropped(add),
  };
}

/** Takes the files that are dropped anywhere on the page, which would else leave it for them. Returns whether some are held over it. */
function useDropped(add: (files: Iterable<File>) => void): boolean {
  const [isDragged, setDragged] = useState(false);
  const latest = useRef(add);
  latest.current = add;
  useEffect(() => {
    const stop = new AbortController();
    const on = (type: 'dragover' | 'dragleave' | 'drop', work: (event: DragEvent, files: DataTransfer) => void) =>
      addEventListener(
        type,
        (event) => {
          if (event.dataTransfer?.types.includes('Files')) work(event, event.dataTransfer);
        },
        { signal: stop.signal },
      );
    on('dragover', (event) => {
      event.preventDefault();
      setDragged(true);
    });
    on('dragleave', ({ relatedTarget }) => {
      if (relatedTarget === null) setDragged(false);
    });
    on('drop', (event, { files }) => {
      event.preventDefault();
      setDragged(false);
      latest.current(files);
    });
    return () => stop.abort();
  }, []);
  return isDragged;
}

/** The button that adds files to an answer; it says what the way takes. */
export function AttachButton({ way, add }: { way: Way; add(files: Iterable<File>): void }) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={field}
        type="file"
        multiple
        hidden
        aria-label={t.inbox.filesToAttach}
        onChange={({ currentTarget }) => {
          add([...(currentTarget.files ?? [])]);
          currentTarget.value = '';
        }}
      />
      <button
        type="button"
        aria-label={t.inbox.attachFiles}
        title={`${t.inbox.attachFiles}: ${limitsOf(way)}`}
        disabled={!way.files}
        onClick={() => field.current?.click()}
      >
        <Icon name="attach" />
      </button>
    </>
  );
}

interface FilesProps {
  of: readonly DraftFile[];
  way: Way;
  problem: string | undefined;
  change: Change;
}

/** The files of an answer with how far they are, and what its way takes. */
export function Files({ of, way, problem, change }: FilesProps) {
  if (of.length === 0) return null;
  return (
    <>
      <ul class="files" aria-label={t.inbox.filesToAttach}>
        {of.map((file) => (
          <li key={file.key} class="upload">
            <UserText text={file.name} isName />
            <Progress of={file} />
            <button
              type="button"
              class="quiet"
              aria-label={t.inbox.withoutTheFile(file.name)}
              onClick={() => {
                cancelUpload(file);
                change((before) => before.filter(({ key }) => key !== file.key));
              }}
            >
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ul>
      <p class={problem === undefined ? 'hint' : 'problem'} role="status">
        {problem ?? limitsOf(way)}
      </p>
    </>
  );
}

function Progress({ of }: { of: DraftFile }) {
  const state = stateOf(of);
  if (state === 'uploading')
    return <progress aria-label={t.inbox.isUploading(of.name)} value={uploadOf(of)?.share ?? 0} />;
  return <span class="muted">{state === 'ready' ? fileSize(of.sizeBytes) : t.inbox.notAttached}</span>;
}
