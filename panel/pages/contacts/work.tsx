import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { touching } from '../../app/live.ts';
import { type Loaded, useLoaded } from '../../app/load.ts';
import { linkTo } from '../../app/route.ts';
import { mayChange } from '../../app/session.ts';
import { money, worded } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { Badge } from '../../parts/badge.tsx';
import { EditDeal, EditTask } from '../../parts/edits.ts';
import { filled } from '../../parts/filled.tsx';
import { Pending } from '../../parts/pending.tsx';
import { TaskRow } from '../../parts/task-row.tsx';
import { dealsOf, tasksOf } from './work-of.ts';

const shown = 20;

interface WorkProps {
  /** An archived one gets no more work. */
  contact: Pick<Schema<'Contact'>, 'id' | 'name' | 'archive'>;
}

interface DealsProps {
  contact?: WorkProps['contact'];
  company?: Pick<Schema<'Company'>, 'id' | 'name' | 'archive'>;
}

/** The deals of a contact or of a company. */
export function Deals({ contact, company }: DealsProps) {
  const deals = useLoaded(
    (signal) =>
      contact
        ? dealsOf(contact.id)
        : api.get('/v1/deals', { signal, params: { query: { companyId: company?.id, limit: shown } } }),
    [contact?.id, company?.id],
    touching('deal'),
  );
  const [isNew, setNew] = useState(false);
  return (
    <Section
      title={t.common.deals}
      of={deals}
      none={t.contacts.nothingIsSoldToThem}
      all={contact && linkTo('/deals', { contact: contact.id })}
      add={
        mayChange('deals:write', contact ?? company ?? {})
          ? { text: t.common.newDeal, open: () => setNew(true) }
          : undefined
      }
      after={
        isNew && <EditDeal contact={contact} company={company} onDone={deals.reload} onClose={() => setNew(false)} />
      }
    >
      {({ id, title, value, currency, stage }) => (
        <li key={id}>
          <a href={linkTo(`/deals/${id}`)}>{title}</a>
          <Badge tone={stage === 'Won' ? 'good' : stage === 'Lost' ? 'bad' : 'plain'}>{worded(stage)}</Badge>
          <span class="hint">{money(value, currency)}</span>
        </li>
      )}
    </Section>
  );
}

type TaskList = Schema<'TaskList'>;

/** The tasks of a contact, which can be ticked off. */
export function Tasks({ contact }: WorkProps) {
  const tasks: Loaded<TaskList> = useLoaded(() => tasksOf(contact.id), [contact.id], touching('task'));
  const [isNew, setNew] = useState(false);
  return (
    <Section
      title={t.common.tasks}
      of={tasks}
      none={t.contacts.nothingIsToBeDoneForThem}
      all={linkTo('/tasks', { contact: contact.id })}
      add={mayChange('tasks:write', contact) ? { text: t.common.newTask, open: () => setNew(true) } : undefined}
      after={isNew && <EditTask contact={contact} onDone={tasks.reload} onClose={() => setNew(false)} />}
    >
      {(task) => (
        <TaskRow
          key={task.id}
          task={task}
          reload={tasks.reload}
          onStatus={(status) =>
            tasks.change((of) => ({
              ...of,
              items: of.items.map((one) => (one.id === task.id ? { ...one, status } : one)),
            }))
          }
        />
      )}
    </Section>
  );
}

interface SectionProps<Item> {
  title: string;
  of: Loaded<{ items: Item[]; hasMore: boolean }>;
  none: string;
  /** Where all of them are. */
  all: string | undefined;
  /** The button that makes one; undefined for who may not. */
  add: { text: string; open(): void } | undefined;
  /** The dialog that it opens. */
  after: ComponentChildren;
  children(item: Item): ComponentChildren;
}

function Section<Item>({ title, of, none, all, add, after, children }: SectionProps<Item>) {
  const { data, error, reload } = of;
  return (
    <section class="card" aria-label={title}>
      <div class="row">
        <h2>{title}</h2>
        {add && (
          <button type="button" class="small" onClick={add.open}>
            {add.text}
          </button>
        )}
      </div>
      <Pending data={data} error={error} reload={reload} lines={2} />
      {data?.items.length === 0 && <p class="hint">{none}</p>}
      <ul class="work">{data?.items.slice(0, shown).map(children)}</ul>
      {data && (data.hasMore || data.items.length > shown) && all && (
        <a href={all}>{filled(t.contacts.all, { title })}</a>
      )}
      {after}
    </section>
  );
}
