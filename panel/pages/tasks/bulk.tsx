import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { useMemberList } from '../../app/names.ts';
import { worded } from '../../app/show.ts';
import { priorities } from '../../app/tasks.ts';
import { t } from '../../app/texts.ts';
import { Menu } from '../../parts/menu.tsx';
import { AssignMenu } from '../../parts/table/assign-menu.tsx';
import { useBulk } from '../../parts/table/bulk.ts';
import type { Source } from '../../parts/table/rows.ts';
import { SelectedBar } from '../../parts/table/selected-bar.tsx';
import type { Selection } from '../../parts/table/selection.ts';

type Item = Schema<'TaskBatch'>['items'][number];

interface TasksBulkProps {
  selection: Selection;
  source: Source<Schema<'Task'>>;
  onDone(): void;
}

const statuses = ['open', 'inprogress', 'done'] as const satisfies readonly Schema<'TaskStatusKey'>[];

/** What can be done with the tasks that are selected. */
export function TasksBulk({ selection, source, onDone }: TasksBulkProps) {
  const members = useMemberList();
  const bulk = useBulk(selection, t.units.task, onDone);
  const change = (itemOf: (id: number) => Item) =>
    bulk.inBatches(async (ids) => {
      const { results } = await api.post('/v1/tasks/batch', { body: { items: ids.map(itemOf) } });
      return results;
    });
  return (
    <SelectedBar units={t.units.task} selection={selection} source={source} progress={bulk.progress}>
      <Menu
        text={t.common.status}
        items={statuses.map((status) => ({
          text: worded(status),
          choose: () => void change((id) => ({ op: 'status', id, status })),
        }))}
      />
      <Menu
        text={t.common.priority}
        items={priorities.map((priority) => ({
          text: worded(priority),
          choose: () => void change((id) => ({ op: 'update', id, priority })),
        }))}
      />
      <AssignMenu
        text={t.common.assignee}
        members={members}
        onAssign={(assignedToUserId) => void change((id) => ({ op: 'update', id, assignedToUserId }))}
      />
      <button type="button" class="small" onClick={() => void bulk.archive('tasks')}>
        {t.fields.archive}
      </button>
    </SelectedBar>
  );
}
