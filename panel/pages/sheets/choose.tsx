import { useRef, useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { place } from '../../app/route.ts';
import { may } from '../../app/session.ts';
import { t } from '../../app/texts.ts';
import { putFile } from '../../app/upload.ts';
import { Failure } from '../../parts/failure.tsx';
import { type ImportObject, objects, writeScopes } from './targets.ts';

/** A file that is there, and what was found in it. */
export interface Uploaded {
  object: ImportObject;
  fileId: number;
  fileName: string;
  preview: Schema<'ImportPreview'>;
}

/** Takes a file that is chosen or dropped, uploads it, and looks into it. */
export function Choose({ onUploaded }: { onUploaded(uploaded: Uploaded): void }) {
  const allowed = objects.filter((object) => may(writeScopes[object]));
  const [object, setObject] = useState<ImportObject>(
    allowed.find((one) => one === place.value.query.get('object')) ?? allowed[0] ?? 'contacts',
  );
  const [share, setShare] = useState<number>();
  const [error, setError] = useState<unknown>();
  const [isOver, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const take = async (file: File | undefined) => {
    if (!file || share !== undefined) return;
    setError(undefined);
    setShare(0);
    try {
      onUploaded(await upload(file, object, setShare));
    } catch (problem) {
      setError(problem);
    }
    setShare(undefined);
  };
  return (
    <section class="card lines" aria-label={t.sheets.newImport}>
      <div class="field">
        <label for="import-object">{t.sheets.whatIsInIt}</label>
        <select
          id="import-object"
          value={object}
          onChange={(event) => setObject(event.currentTarget.value as ImportObject)}
        >
          {allowed.map((one) => (
            <option key={one} value={one}>
              {t.sheets.of[one]}
            </option>
          ))}
        </select>
      </div>
      <label
        class={isOver ? 'drop over' : 'drop'}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          void take(event.dataTransfer?.files[0]);
        }}
      >
        <span>{t.sheets.dropAFile}</span>
        <span class="hint">{t.sheets.csvOrNdjson}</span>
        <input
          ref={input}
          type="file"
          accept=".csv,.tsv,.txt,.ndjson,.jsonl,text/csv"
          disabled={share !== undefined}
          onChange={(event) => {
            void take(event.currentTarget.files?.[0]);
            event.currentTarget.value = '';
          }}
        />
      </label>
      {share !== undefined && (
        <div role="status">
          <progress aria-label={t.sheets.uploading} value={share} />
          <p class="hint">{t.sheets.uploading}</p>
        </div>
      )}
      {error !== undefined && <Failure error={error} />}
    </section>
  );
}

async function upload(file: File, object: ImportObject, said: (share: number) => void): Promise<Uploaded> {
  const contentType = file.type || 'text/csv';
  const announced = await api.post('/v1/files', {
    body: { purpose: 'import', fileName: file.name, contentType, sizeBytes: file.size },
  });
  const failure = () => new Error(t.sheets.couldNotBeUploaded(file.name));
  await putFile(file, announced, new AbortController().signal, said, failure);
  const preview = await api.post('/v1/imports/preview', { body: { fileId: announced.id, object } });
  return { object, fileId: announced.id, fileName: file.name, preview };
}
