import { useState } from 'preact/hooks';
import { useMembers } from '../app/names.ts';
import { withQuery } from '../app/route.ts';
import { may } from '../app/session.ts';
import { worded } from '../app/show.ts';
import { priorities } from '../app/tasks.ts';
import { t } from '../app/texts.ts';
import { ArchivedChoice } from '../parts/archived-choice.tsx';
import { EditTask } from '../parts/edits.ts';
import { Choice, Filters, filter, SearchField } from '../parts/filters.tsx';
import { Head } from '../parts/head.tsx';
import { contactFilter, OnlyOfContact } from '../parts/only-of-contact.tsx';
import type { Edited } from './tasks/edited.ts';
import { everybody, TaskList } from './tasks/list.tsx';
import { TaskTable } from './tasks/table.tsx';

/** The tasks as a list by when they are due, or as a table. */
export default function Tasks() {
  const isTable = filter('layout') === 'table';
  const members = useMembers();
  const [edited, setEdited] = useState<Edited>();
  const [turn, setTurn] = useState(0);
  const Shown = isTable ? TaskTable : TaskList;
  return (
    <>
      <Head title={t.common.tasks}>
        {may('tasks:write') && (
          <button type="button" class="primary" data-new onClick={() => setEdited({})}>
            {t.common.newTask}
          </button>
        )}
      </Head>
      <nav class="tabs" aria-label={t.common.tasks}>
        <a
          href={withQuery({
            ...{ layout: undefined, archived: undefined },
            ...{ view: undefined, filter: undefined, sort: undefined, columns: undefined },
          })}
          aria-current={isTable ? undefined : 'page'}
        >
          {t.tasks.byDate}
        </a>
        <a
          href={withQuery({ layout: 'table', assignee: undefined, priority: undefined })}
          aria-current={isTable ? 'page' : undefined}
        >
          {t.deals.table}
        </a>
      </nav>
      <Filters>
        <SearchField label={t.common.search} />
        {!isTable && (
          <>
            <Choice
              label={t.common.assignee}
              name="assignee"
              all={contactFilter() === undefined ? t.tasks.mine : t.common.anybody}
              options={[[everybody, t.common.anybody], ['none', t.common.nobody], ...members]}
            />
            <Choice
              label={t.common.priority}
              name="priority"
              all={t.tasks.everyPriority}
              options={priorities.map((priority) => [priority, worded(priority)])}
            />
          </>
        )}
        <ArchivedChoice />
      </Filters>
      <OnlyOfContact />
      <Shown members={members} turn={turn} onOpen={setEdited} />
      {edited && (
        <EditTask {...edited} onDone={() => setTurn((before) => before + 1)} onClose={() => setEdited(undefined)} />
      )}
    </>
  );
}
