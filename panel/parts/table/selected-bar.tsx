import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Forms } from '../../app/locale.ts';
import { counted, count as written } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { attempt, say } from '../../app/toasts.ts';
import type { Progress } from './bulk.ts';
import { readAll, type Source } from './rows.ts';
import type { Selection } from './selection.ts';

/** As many rows as are selected at once. */
const most = 5000;

interface SelectedBarProps {
  units: Forms;
  selection: Selection;
  source: Source<{ id: number }>;
  progress: Progress | undefined;
  /** What can be done with them. */
  children: ComponentChildren;
}

/** How many rows are selected, and what can be done with them; in place of what is said of the whole table. */
export function SelectedBar({ units, selection, source, progress, children }: SelectedBarProps) {
  const { ids, total, set, clear } = selection;
  const [reading, setReading] = useState<Progress>();
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  const selectAll = async () => {
    const of = Math.min(most, total ?? most);
    setReading({ done: ids.size, of });
    await attempt(async () => {
      const found = await readAll(source, most, stop.current.signal, (done) => setReading({ done, of }));
      set(found.map(({ id }) => id));
      if ((total ?? found.length) > most) say(t.table.theFirstAreSelected(written(most)));
    });
    setReading(undefined);
  };
  const busy = progress ?? reading;
  return (
    <fieldset class="grid-tools bulk" aria-busy={busy !== undefined} disabled={busy !== undefined}>
      <legend class="hidden">{t.table.selected}</legend>
      <strong role="status">{t.table.areSelected(counted(ids.size, units))}</strong>
      {busy ? (
        <>
          <progress value={busy.done} max={busy.of} aria-label={t.table.progress} />
          <span class="hint">{t.table.doneOf(written(busy.done), written(busy.of))}</span>
        </>
      ) : (
        <>
          {children}
          {(total === undefined || total > ids.size) && (
            <button type="button" class="small quiet" onClick={() => void selectAll()}>
              {t.table.selectAll}
            </button>
          )}
          <button type="button" class="small quiet" onClick={clear}>
            {t.table.selectNone}
          </button>
        </>
      )}
    </fieldset>
  );
}
