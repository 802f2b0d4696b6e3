import { api } from '../../app/api.ts';
import { type Board, readColumns } from '../../app/boards.ts';
import { useLoaded } from '../../app/load.ts';
import { useMemberList } from '../../app/names.ts';
import { t } from '../../app/texts.ts';
import { Menu } from '../../parts/menu.tsx';
import { AssignMenu } from '../../parts/table/assign-menu.tsx';
import { useBulk } from '../../parts/table/bulk.ts';
import type { Source } from '../../parts/table/rows.ts';
import { SelectedBar } from '../../parts/table/selected-bar.tsx';
import type { Selection } from '../../parts/table/selection.ts';
import type { Deal } from './board.ts';

interface DealsBulkProps {
  selection: Selection;
  source: Source<Deal>;
  board: Board;
  onDone(): void;
}

/** What can be done with the deals that are selected. A deal is won or lost on its own: that books it, or has a reason. */
export function DealsBulk({ selection, source, board, onDone }: DealsBulkProps) {
  const members = useMemberList();
  const columns = useLoaded((signal) => readColumns(signal, board.id), [board.id]);
  const bulk = useBulk(selection, t.units.deal, onDone);
  const moveTo = (columnId: number) =>
    bulk.oneByOne((id) => api.post('/v1/deals/{id}/column', { params: { path: { id } }, body: { columnId } }));
  const assign = (userId: number | null) =>
    bulk.oneByOne((id) => api.post('/v1/deals/{id}/assignee', { params: { path: { id } }, body: { userId } }));
  return (
    <SelectedBar units={t.units.deal} selection={selection} source={source} progress={bulk.progress}>
      <Menu
        text={t.deals.column}
        items={(columns.data ?? [])
          .filter(({ isTerminal }) => !isTerminal)
          .map(({ id, name }) => ({ text: name, choose: () => void moveTo(id) }))}
      />
      <AssignMenu text={t.deals.owner} members={members} onAssign={(id) => void assign(id)} />
      <button type="button" class="small" onClick={() => void bulk.archive('deals')}>
        {t.fields.archive}
      </button>
    </SelectedBar>
  );
}
