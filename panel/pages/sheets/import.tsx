import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { touching } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { linkTo, place } from '../../app/route.ts';
import { count } from '../../app/show.ts';
import { sidesOf } from '../../app/sides.ts';
import { t } from '../../app/texts.ts';
import { Back } from '../../parts/back.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Head } from '../../parts/head.tsx';
import type { PageProps } from '../../parts/page.ts';
import { cursor, Paged } from '../../parts/paged.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { UserText } from '../../parts/user-text.tsx';
import { When } from '../../parts/when.tsx';
import { Choose, type Uploaded } from './choose.tsx';
import { Exports } from './exports.tsx';
import { Mapping } from './mapping.tsx';
import { Running, Status } from './running.tsx';

type Import = Schema<'Import'>;

/** Takes in files of records, and lists those that were. */
export default function Imports({ variables: { id } }: PageProps) {
  if (place.value.path === '/import/exports') return <Exports />;
  return id === undefined ? <List /> : <One key={id} id={Number(id)} />;
}

function List() {
  const [uploaded, setUploaded] = useState<Uploaded>();
  const imports = useLoaded(
    (signal) => api.get('/v1/imports', { signal, params: { query: { limit: 20, after: cursor() } } }),
    [String(place.value.query)],
    touching('import'),
  );
  return (
    <>
      <Head title={t.sheets.import} />
      <Tabs label={t.sheets.import} tabs={sidesOf('/import')} open="/import" />
      {uploaded ? (
        <Mapping key={uploaded.fileId} {...uploaded} onCancel={() => setUploaded(undefined)} />
      ) : (
        <Choose onUploaded={setUploaded} />
      )}
      <section class="lines" aria-label={t.sheets.earlierImports}>
        <h2>{t.sheets.earlierImports}</h2>
        <Paged
          caption={t.sheets.earlierImports}
          of={imports}
          columns={columns()}
          keyOf={({ id }) => id}
          empty={
            <Empty title={t.sheets.noImportsYet}>
              <p>{t.sheets.anImportCanBeUndone}</p>
            </Empty>
          }
        />
      </section>
    </>
  );
}

const columns = () => [
  {
    title: t.sheets.file,
    show: ({ id, fileName, object }: Import) => (
      <>
        <a href={linkTo(`/import/${id}`)}>
          <UserText text={fileName} isName />
        </a>{' '}
        <span class="muted">{t.sheets.of[object as keyof typeof t.sheets.of] ?? object}</span>
      </>
    ),
  },
  { title: t.common.status, show: (of: Import) => <Status of={of} /> },
  { title: t.sheets.rows, show: ({ processed }: Import) => count(processed), isNumber: true },
  { title: t.sheets.failedRows, show: ({ failed }: Import) => count(failed), isNumber: true, isWide: true },
  { title: t.common.created, show: ({ createdAt }: Import) => <When at={createdAt} />, isWide: true },
];

function One({ id }: { id: number }) {
  const [fileName, setFileName] = useState<string>();
  return (
    <>
      <Head title={fileName ?? t.sheets.import} above={<Back to={linkTo('/import')}>{t.sheets.import}</Back>} />
      <Running id={id} onRead={(read) => setFileName(read.fileName)} />
    </>
  );
}
