import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { touching } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { place } from '../../app/route.ts';
import { saveUrl } from '../../app/save-file.ts';
import { count, fileSize } from '../../app/show.ts';
import { sidesOf } from '../../app/sides.ts';
import { t } from '../../app/texts.ts';
import { attempt } from '../../app/toasts.ts';
import { Badge } from '../../parts/badge.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Head } from '../../parts/head.tsx';
import { cursor, Paged } from '../../parts/paged.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { When } from '../../parts/when.tsx';
import { nameOf } from './export-dialog.tsx';

type Export = Schema<'Export'>;

/** Lists the exports of the last week, with their files as long as these are kept. */
export function Exports() {
  const exports = useLoaded(
    (signal) => api.get('/v1/exports', { signal, params: { query: { limit: 20, after: cursor() } } }),
    [String(place.value.query)],
    touching('export'),
  );
  return (
    <>
      <Head title={t.common.exports} />
      <Tabs label={t.sheets.import} tabs={sidesOf('/import')} open="/import/exports" />
      <Paged
        caption={t.common.exports}
        of={exports}
        columns={columns()}
        keyOf={({ id }) => id}
        empty={
          <Empty title={t.sheets.noExportsYet}>
            <p>{t.sheets.exportFromATable}</p>
          </Empty>
        }
      />
    </>
  );
}

const tones = { completed: 'good', failed: 'bad' } as const;

const columns = () => [
  {
    title: t.sheets.file,
    show: (of: Export) => <span>{nameOf(of)}</span>,
  },
  {
    title: t.common.status,
    show: ({ status, error }: Export) => (
      <>
        <Badge tone={tones[status as keyof typeof tones] ?? 'accent'}>
          {t.sheets.states[status as keyof typeof t.sheets.states] ?? status}
        </Badge>
        {error !== null && <span class="muted"> {error}</span>}
      </>
    ),
  },
  {
    title: t.sheets.rows,
    show: ({ rows }: Export) => (rows === null ? '' : count(rows)),
    isNumber: true,
    isWide: true,
  },
  {
    title: t.sheets.size,
    show: ({ sizeBytes }: Export) => (sizeBytes === null ? '' : fileSize(sizeBytes)),
    isNumber: true,
    isWide: true,
  },
  { title: t.common.created, show: ({ createdAt }: Export) => <When at={createdAt} />, isWide: true },
  {
    title: t.sheets.download,
    isHidden: true,
    show: (of: Export) =>
      of.url !== null && (
        <button
          type="button"
          class="small"
          aria-label={t.sheets.downloadOf(nameOf(of))}
          onClick={() => attempt(() => save(of.id))}
        >
          {t.sheets.download}
        </button>
      ),
  },
];

/** Saves the file by an address of its own: that of the list may be too old. */
async function save(id: number): Promise<void> {
  const now = await api.get('/v1/exports/{id}', { params: { path: { id } } });
  if (now.url === null) throw new Error(t.sheets.theFileIsGone);
  saveUrl(nameOf(now), now.url);
}
