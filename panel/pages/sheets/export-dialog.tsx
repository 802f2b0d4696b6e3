import { useEffect, useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { linkTo } from '../../app/route.ts';
import { saveUrl } from '../../app/save-file.ts';
import { count, fileSize } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { filled } from '../../parts/filled.tsx';
import { Field, Form } from '../../parts/form.tsx';
import type { ExportProps } from '../../parts/table/export-button.tsx';
import { pollWhile } from './poll.ts';

type Export = Schema<'Export'>;
type Format = Schema<'CreateExportFormat'>;

const formats = (): readonly (readonly [Format, string])[] => [
  ['csv', t.sheets.csv],
  ['ndjson', t.sheets.ndjson],
  ['parquet', t.sheets.parquet],
];

/** Exports what a table shows to a file, and hands it out when it is there. */
export function ExportDialog({
  object,
  q,
  filter,
  archived,
  columns,
  counted,
  onClose,
}: ExportProps & { onClose(): void }) {
  const [begun, setBegun] = useState<Export>();
  return (
    <Dialog title={t.sheets.exportOf[object]} onClose={onClose}>
      {begun ? (
        <Progress begun={begun} />
      ) : (
        <Form
          submit={t.common.exportRecords}
          onCancel={onClose}
          onSubmit={async ({ format, which }) => {
            const body = {
              object,
              format: format as Format,
              ...(q && { q }),
              filter: filter ?? null,
              ...(which === 'shown' && { columns: [...columns] }),
              ...(archived !== undefined && { archived: archived === 'all' ? ('all' as const) : archived === 'true' }),
            };
            setBegun(await api.post('/v1/exports', { body }));
          }}
        >
          <p>{counted === undefined ? t.sheets.asTheTableShows : t.sheets.countedAsTheTableShows(counted)}</p>
          <Field
            label={t.sheets.columns}
            name="which"
            value="shown"
            options={[
              ['shown', t.sheets.shownColumns(count(columns.length))],
              ['all', t.sheets.allFields],
            ]}
          />
          <Field label={t.sheets.format} name="format" value="csv" options={formats()} />
        </Form>
      )}
    </Dialog>
  );
}

export const nameOf = ({ object, format, createdAt }: Export) => `${object}-${createdAt.slice(0, 10)}.${format}`;

/** Shows how far an export is, and saves its file once when it is there. */
function Progress({ begun }: { begun: Export }) {
  const [now, setNow] = useState(begun);
  const [error, setError] = useState<unknown>();
  useEffect(
    () =>
      pollWhile(
        (signal) => api.get('/v1/exports/{id}', { signal, params: { path: { id: begun.id } } }),
        ({ status }) => status === 'queued' || status === 'running',
        setNow,
        setError,
      ),
    [],
  );
  const { status, rows, sizeBytes, url } = now;
  useEffect(() => {
    if (url !== null) saveUrl(nameOf(now), url);
  }, [url !== null]);
  if (error !== undefined) return <Failure error={error} />;
  if (status === 'failed') return <Failure error={new Error(now.error ?? t.sheets.theExportHasFailed)} />;
  if (url === null)
    return (
      <div class="lines" role="status">
        <progress aria-label={t.sheets.exporting} />
        <p>{rows ? t.sheets.rowsSoFar(count(rows)) : t.sheets.exporting}</p>
        <p class="hint">
          {filled(t.sheets.itGoesOnWithoutThisDialog, {
            exports: <a href={linkTo('/import/exports')}>{t.common.exports}</a>,
          })}
        </p>
      </div>
    );
  return (
    <div class="lines" role="status">
      <p>{t.sheets.theFileIsThere(count(rows ?? 0), fileSize(sizeBytes ?? 0))}</p>
      <p>
        <a class="button primary" href={url} download={nameOf(now)} target="_blank" rel="noopener">
          {t.sheets.download}
        </a>
      </p>
      <p class="hint">{t.sheets.theLinkWorksForFiveMinutes}</p>
    </div>
  );
}
