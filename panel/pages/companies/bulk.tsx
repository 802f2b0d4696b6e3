import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import type { Company } from '../../app/companies.ts';
import { t } from '../../app/texts.ts';
import { AssignMenu } from '../../parts/table/assign-menu.tsx';
import { useBulk } from '../../parts/table/bulk.ts';
import type { Source } from '../../parts/table/rows.ts';
import { SelectedBar } from '../../parts/table/selected-bar.tsx';
import type { Selection } from '../../parts/table/selection.ts';

interface CompaniesBulkProps {
  selection: Selection;
  source: Source<Company>;
  members: readonly Schema<'Member'>[];
  onDone(): void;
}

/** What can be done with the companies that are selected. */
export function CompaniesBulk({ selection, source, members, onDone }: CompaniesBulkProps) {
  const bulk = useBulk(selection, t.units.company, onDone);
  const assign = (assignedToUserId: number | null) =>
    bulk.inBatches(async (ids) => {
      const items = ids.map((id) => ({ op: 'update' as const, id, assignedToUserId }));
      return (await api.post('/v1/companies/batch', { body: { items } })).results;
    });
  return (
    <SelectedBar units={t.units.company} selection={selection} source={source} progress={bulk.progress}>
      <AssignMenu text={t.contacts.assignedTo} members={members} onAssign={(id) => void assign(id)} />
      <button type="button" class="small" onClick={() => void bulk.archive('companies')}>
        {t.fields.archive}
      </button>
    </SelectedBar>
  );
}
