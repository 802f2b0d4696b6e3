import type { ComponentChildren } from 'preact';
import type { Schema } from '../../../../client/index.ts';
import { api } from '../../app/api.ts';
import { touching } from '../../app/live.ts';
import { type Loaded, useLoaded } from '../../app/load.ts';
import { linkTo } from '../../app/route.ts';
import { money } from '../../app/show.ts';
import { Badge } from '../../parts/badge.tsx';
import { Pending } from '../../parts/pending.tsx';
import { TaskRow } from '../../parts/task-row.tsx';

/** The deals of a contact. */
export function Deals({ contactId }: { contactId: number }) {
  const deals = useLoaded(
    (signal) => api.get('/v1/deals', { signal, params: { query: { contactId, limit: 20 } } }),
    [contactId],
    touching('deal'),
  );
  return (
    <Section title="Deals" of={deals} none="No deals." more={`#/deals?contact=${contactId}`}>
      {({ id, title, value, currency, stage }) => (
        <li key={id}>
          <a href={linkTo(`/deals/${id}`)}>{title}</a>
          <Badge tone={stage === 'Won' ? 'good' : stage === 'Lost' ? 'bad' : 'plain'}>{stage}</Badge>
          <span class="hint">{money(value, currency)}</span>
        </li>
      )}
    </Section>
  );
}

type TaskList = Schema<'TaskList'>;

/** The tasks of a contact, which can be ticked off. */
export function Tasks({ contactId }: { contactId: number }) {
  const tasks: Loaded<TaskList> = useLoaded(
    (signal) => api.get('/v1/tasks', { signal, params: { query: { contactId, limit: 20 } } }),
    [contactId],
    touching('task'),
  );
  return (
    <Section title="Tasks" of={tasks} none="No tasks." more={`#/tasks?contact=${contactId}`}>
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
  more: string;
  children(item: Item): ComponentChildren;
}

function Section<Item>({ title, of: { data, error, reload }, none, more, children }: SectionProps<Item>) {
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      <Pending data={data} error={error} reload={reload} lines={2} />
      {data?.items.length === 0 && <p class="muted">{none}</p>}
      <ul class="work">{data?.items.map(children)}</ul>
      {data?.hasMore && <a href={more}>All {title.toLowerCase()}</a>}
    </section>
  );
}
