import type { Schema } from '../../../client/index.ts';
import { touching } from '../../app/live.ts';
import { type Names, useNamesSoFar } from '../../app/names.ts';
import { may, mayChange } from '../../app/session.ts';
import { counted } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { whichArchived } from '../../parts/archived-choice.tsx';
import { useFields } from '../../parts/custom-fields.tsx';
import { Empty } from '../../parts/empty.tsx';
import { FilterBar } from '../../parts/filter/filter-bar.tsx';
import { useQuestion } from '../../parts/filter/question.ts';
import { filter } from '../../parts/filters.tsx';
import { contactFilter } from '../../parts/only-of-contact.tsx';
import { includeFor } from '../../parts/table/custom-columns.tsx';
import { ExportButton } from '../../parts/table/export-button.tsx';
import { sourceOf } from '../../parts/table/question.ts';
import { useRows } from '../../parts/table/rows.ts';
import { Table } from '../../parts/table/table.tsx';
import { useColumns } from '../../parts/table/use-columns.ts';
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

/** Returns a filter, for the tasks of the contact in the address alone. */
function filterOf(given: Schema<'Filter'> | undefined): Schema<'Filter'> | undefined {
  const contactId = contactFilter();
  if (contactId === undefined) return given;
  return { and: [...(given ? [given] : []), { field: 'contactId', op: 'eq', value: contactId }] };
}

/** Everybody's tasks as a table, in any order. */
export function TaskTable({ members, turn, onOpen }: TaskTableProps) {
  const asking = useQuestion('task');
  const { value, isReady, onSort, onColumns } = asking;
  const definitions = useFields('task');
  const { archived } = whichArchived();
  const asked = {
    sort: value.sort,
    isReady,
    q: filter('q'),
    filter: filterOf(value.filter),
    archived,
    include: includeFor(value.columns, 'archive'),
  };
  const source = sourceOf<Task>('tasks', asked);
  const rows = useRows(source, [JSON.stringify(asked), turn], isTouchedBy);
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
  const { all, columns } = useColumns(definitions, own, members, value.columns, rows.items, [contacts, deals]);
  const isNarrowed = value.filter !== undefined || ['q', 'contact', 'archived'].some(filter);
  return (
    <>
      <FilterBar
        object="task"
        {...asking}
        fields={definitions}
        members={members}
        error={rows.error}
        at={contactFilter() === undefined ? undefined : 'filter.and[0]'}
      />
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
        tools={
          <ExportButton
            object="tasks"
            q={filter('q')}
            filter={asked.filter}
            archived={archived}
            columns={columns.map(({ name }) => name)}
            counted={rows.total === undefined ? undefined : counted(rows.total, t.units.task)}
          />
        }
        empty={
          <Empty title={isNarrowed ? t.tasks.noTasksLikeThat : t.tasks.nothingToDo}>
            <p>{isNarrowed ? t.tasks.changeTheSearchAndThe : t.tasks.noteWhatYouHavePromised}</p>
          </Empty>
        }
      />
    </>
  );
}
