import type { ComponentChildren } from 'preact';
import type { Schema } from '../../client/index.ts';
import { api } from '../app/api.ts';
import { mayChange } from '../app/session.ts';
import { worded } from '../app/show.ts';
import { t } from '../app/texts.ts';
import { attempt } from '../app/toasts.ts';
import { Badge } from './badge.tsx';
import { userText } from './user-text.tsx';
import { When } from './when.tsx';

type Shown = Schema<'DealTask'> & Pick<Schema<'Task'>, 'archive'>;

const setStatus = (id: number, status: Schema<'TaskStatusKey'>) =>
  api.post('/v1/tasks/{id}/status', { params: { path: { id } }, body: { status } });

interface TaskRowProps {
  task: Shown;
  /** Shows it in a status that the API has yet to confirm. */
  onStatus(status: Schema<'TaskStatus'>): void;
  reload(): void;
  onEdit?: (() => void) | undefined;
  /** What else can be done with it. */
  actions?: ComponentChildren;
  /** Whose it is and what it belongs to. */
  children?: ComponentChildren;
}

/** A task with a box that completes it. */
export function TaskRow({ task, onStatus, reload, onEdit, actions, children }: TaskRowProps) {
  const isDone = task.status === 'Done';
  const toggle = async () => {
    const before = task.status;
    const to = isDone ? 'open' : 'done';
    onStatus(isDone ? 'Open' : 'Done');
    const done = await attempt(() => setStatus(task.id, to), {
      said: isDone ? t.parts.isOpenAgain(task.title) : t.parts.isDone(task.title),
      undo: async () => {
        await setStatus(task.id, before.toLowerCase() as Schema<'TaskStatusKey'>);
        reload();
      },
      takeBack: () => onStatus(before),
    });
    if (done) reload();
  };
  return (
    <li class={isDone ? 'task done' : 'task'}>
      <input
        type="checkbox"
        checked={isDone}
        disabled={!mayChange('tasks:write', task)}
        aria-label={t.parts.complete(task.title)}
        onChange={toggle}
      />
      <div>
        {onEdit ? (
          <button type="button" class="link title" {...userText} onClick={onEdit}>
            {task.title}
          </button>
        ) : (
          <span class="title" {...userText}>
            {task.title}
          </span>
        )}
        <p class="hint belongs">{children}</p>
      </div>
      <div class="signs">
        {task.priority !== 'Medium' && !isDone && (
          <Badge tone={task.priority === 'High' ? 'warn' : 'plain'}>{worded(task.priority)}</Badge>
        )}
        {task.status === 'InProgress' && <Badge tone="accent">{t.parts.inProgress}</Badge>}
        {task.dueAt && (
          <span class={task.isOverdue && !isDone ? 'due late' : 'due'}>
            <When at={task.dueAt} />
          </span>
        )}
        {actions}
      </div>
    </li>
  );
}
