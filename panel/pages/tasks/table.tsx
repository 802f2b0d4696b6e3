import type { Schema } from '../../../client/index.ts';
import { touching } from '../../app/live.ts';
import { type Names, useNamesSoFar } from '../../app/names.ts';
import { place } from '../../app/route.ts';
import { may, mayChange } from '../../app/session.ts';
import { t } from '../../app/texts.ts';
import { whichArchived } from '../../parts/archived-choice.tsx';
import { Empty } from '../../parts/empty.tsx';
import { filter } from '../../parts/filters.tsx';
import { contactFilter } from '../../parts/only-of-contact.tsx';
import { includeFor } from '../../parts/table/custom-columns.tsx';
import { sourceOf } from '../../parts/table/question.ts';
import { useRows } from '../../parts/table/rows.ts';
import { Table } from '../../parts/table/table.tsx';
import { useColumns } from '../../parts/table/use-columns.ts';
import { useQuestion } from '../../parts/table/use-question.ts';
import { TasksBulk } from './bulk.tsx';
import { type Edited, editedOf } from './edited.ts';
import { taskColumns } from './table-columns.tsx';

type Task = Schema<'Task'>;

const isTouchedBy = touching('task');

interface TaskTableProps {
  members: Names;
  /** Counts what was made here. */
  turn: number;
  onOpen(edited: Edited): void;
}

/** Everybody's tasks as a table, in any order. */
export function TaskTable({ members, turn, onOpen }: TaskTableProps) {
  const { value, onSort, onColumns } = useQuestion('task');
  const include = includeFor(value.columns, 'archive');
  const { archived } = whichArchived();
  const contactId = contactFilter();
  const ofContact = contactId === undefined ? undefined : { field: 'contactId', op: 'eq', value: contactId };
  const source = sourceOf<Task>('tasks', { ...value, filter: ofContact, q: filter('q'), archived, include });
  const rows = useRows(source, [String(place.value.query), include, turn], isTouchedBy);
  const contacts = useNamesSoFar(
    'contact',
    rows.items.map(({ contactId: id }) => id),
  );
  const deals = useNamesSoFar(
    'deal',
    rows.items.map(({ dealId: id }) => id),
  );
  const open = (task: Task) => {
    if (mayChange('tasks:write', task)) onOpen(editedOf(task, contacts, deals));
  };
  const own = (names: Names) => taskColumns({ members: names, contacts, deals, onOpen: open });
  const { all, columns } = useColumns('task', own, members, value.columns, rows.items, [contacts, deals]);
  const isNarrowed = ['q', 'contact', 'archived'].some(filter);
  return (
    <Table
      caption={t.common.tasks}
      units={t.units.task}
      rows={rows}
      all={all}
      columns={columns}
      onColumns={onColumns}
      sort={value.sort}
      onSort={onSort}
      nameOf={({ title }) => title}
      onOpen={open}
      actions={
        may('tasks:write') && archived === undefined
          ? (selection) => <TasksBulk selection={selection} source={source} onDone={rows.reload} />
          : undefined
      }
      empty={
        <Empty title={isNarrowed ? t.tasks.noTasksLikeThat : t.tasks.nothingToDo}>
          <p>{isNarrowed ? t.tasks.changeTheSearchAndThe : t.tasks.noteWhatYouHavePromised}</p>
        </Empty>
      }
    />
  );
}
