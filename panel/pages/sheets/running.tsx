import { useEffect, useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { useLoaded } from '../../app/load.ts';
import { count } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { attempt } from '../../app/toasts.ts';
import { Badge } from '../../parts/badge.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Failure } from '../../parts/failure.tsx';
import { filled } from '../../parts/filled.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { UserText } from '../../parts/user-text.tsx';
import { When } from '../../parts/when.tsx';
import { firstErrors } from './errors.ts';
import { pollWhile } from './poll.ts';

type Import = Schema<'Import'>;

const isUnderWay = ({ status }: Import) => ['queued', 'running', 'undoing'].includes(status);
const tones = { completed: 'good', failed: 'bad', canceled: 'warn', undone: 'warn' } as const;

/** The state of an import in a word. */
export const Status = ({ of: { status, dryRun } }: { of: Import }) => (
  <Badge tone={tones[status as keyof typeof tones] ?? 'accent'}>
    {dryRun && status === 'completed'
      ? t.sheets.tried
      : (t.sheets.states[status as keyof typeof t.sheets.states] ?? status)}
  </Badge>
);

/** Shows how far an import is, its errors, and what can be done with it. */
export function Running({ id, onRead }: { id: number; onRead?(read: Import): void }) {
  const [now, setNow] = useState<Import>();
  const [error, setError] = useState<unknown>();
  const [turn, setTurn] = useState(0);
  const [isUndoing, setUndoing] = useState(false);
  const path = { id };
  useEffect(
    () =>
      pollWhile(
        (signal) => api.get('/v1/imports/{id}', { signal, params: { path } }),
        isUnderWay,
        (read) => {
          setNow(read);
          onRead?.(read);
        },
        setError,
      ),
    [turn],
  );
  const again = () => setTurn((before) => before + 1);
  if (error !== undefined) return <Failure error={error} again={again} />;
  if (!now) return <Skeleton lines={4} />;
  const { status, total, processed, dryRun, undoUntil } = now;
  const mayUndo = !dryRun && !isUnderWay(now) && undoUntil !== null && Date.parse(undoUntil) > Date.now();
  return (
    <div class="lines">
      <div role="status" class="lines">
        <p>
          <Status of={now} />{' '}
          {total === null ? t.sheets.rowsDone(count(processed)) : t.sheets.rowsOf(count(processed), count(total))}
        </p>
        {isUnderWay(now) && (
          <progress aria-label={t.sheets.importing} {...(total ? { value: processed, max: total } : {})} />
        )}
        <Counts of={now} />
      </div>
      {now.error !== null && <Failure error={new Error(now.error)} />}
      {now.failed > 0 && !isUnderWay(now) && <Errors of={now} />}
      {(status === 'queued' || status === 'running') && (
        <div class="actions">
          <button
            type="button"
            onClick={async () => {
              const cancel = () => api.post('/v1/imports/{id}/cancel', { params: { path }, body: {} });
              if (await attempt(cancel, { said: t.sheets.itIsStopped })) again();
            }}
          >
            {t.sheets.stop}
          </button>
        </div>
      )}
      {mayUndo && status !== 'undone' && (
        <div class="actions">
          <button type="button" onClick={() => setUndoing(true)}>
            {t.sheets.undo}
          </button>
          <span class="hint">{filled(t.sheets.canBeUndoneUntil, { when: <When at={undoUntil} /> })}</span>
        </div>
      )}
      {isUndoing && (
        <Confirm
          title={t.sheets.undoThisImport}
          action={t.sheets.undo}
          isDangerous
          onClose={() => setUndoing(false)}
          onConfirm={async () => {
            await api.post('/v1/imports/{id}/undo', { params: { path }, body: {} });
            again();
          }}
        >
          <p>{t.sheets.whatUndoDoes}</p>
        </Confirm>
      )}
    </div>
  );
}

/** The rows or records by what became of them. */
function Counts({ of }: { of: Import }) {
  const undone = ['undoing', 'undone'].includes(of.status);
  const counts = undone
    ? ([
        [t.sheets.archivedAgain, of.archived],
        [t.sheets.restored, of.restored],
        [t.sheets.kept, of.kept],
      ] as const)
    : ([
        [t.sheets.created, of.created],
        [t.sheets.updated, of.updated],
        [t.sheets.skipped, of.skipped],
        [t.common.failed, of.failed],
      ] as const);
  return <p>{counts.map(([name, value]) => `${name}: ${count(value)}`).join(' · ')}</p>;
}

/** The first rows that failed, each with why, and the file of all. */
function Errors({ of: { errorsUrl } }: { of: Import }) {
  const first = useLoaded(
    (signal) => (errorsUrl === null ? Promise.resolve([]) : firstErrors(errorsUrl, signal)),
    [errorsUrl],
  );
  if (errorsUrl === null) return null;
  return (
    <>
      <h3>{t.sheets.theFirstErrors}</h3>
      <ol class="lines">
        {first.data?.map(({ row, message }) => (
          <li key={row}>
            <UserText text={message} /> <span class="muted one-line">{row}</span>
          </li>
        ))}
      </ol>
      <p>
        <a class="button" href={errorsUrl} target="_blank" rel="noopener">
          {t.sheets.allErrorsAsAFile}
        </a>{' '}
        <span class="hint">{t.sheets.theFileCanBeImportedAgain}</span>
      </p>
    </>
  );
}
