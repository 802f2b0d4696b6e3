import type { Schema } from '../../client/index.ts';
import { api } from '../app/api.ts';
import { useMembers } from '../app/names.ts';
import { current } from '../app/session.ts';
import { nameOf, worded } from '../app/show.ts';
import { priorities } from '../app/tasks.ts';
import { t } from '../app/texts.ts';
import { ContactField } from './contact-field.tsx';
import { contactIn } from './contact-text.ts';
import { NewFields, newValues, useFields } from './custom-fields.tsx';
import { DealField, dealIn } from './deal-field.tsx';
import { Dialog } from './dialog.tsx';
import { filled } from './filled.tsx';
import { type Edit, Field, Form, type Values } from './form.tsx';
import { instant, localTime } from './local-time.ts';
import { TaskFields } from './task-fields.tsx';

type Task = Schema<'Task'>;

const statuses = () =>
  [
    ['open', t.parts.open],
    ['inprogress', t.parts.inProgress],
    ['done', t.common.done],
  ] as const satisfies readonly (readonly [Schema<'TaskStatusKey'>, string])[];

interface EditTaskProps {
  /** Undefined for a new one. */
  task?: Task | undefined;
  /** The deal of a new one, which stays as it is. */
  deal?: { id: number; title: string } | undefined;
  /** The deal and contact that it has so far. */
  chosenDeal?: { id: number; title: string } | undefined;
  contact?: { id: number; name: string | null } | undefined;
  onDone(): void;
  onClose(): void;
}

const valuesOf = (task: Task): Values => ({
  title: task.title,
  description: task.description ?? undefined,
  priority: task.priority.toLowerCase(),
  dueAt: task.dueAt === null ? undefined : localTime(task.dueAt),
  remindAt: task.remindAt === null ? undefined : localTime(task.remindAt),
  assignedToUserId: task.assignedToUserId === null ? undefined : String(task.assignedToUserId),
  status: task.status.toLowerCase(),
});

/** Makes or changes a task. */
export function EditTask({ task, deal, chosenDeal, contact, onDone, onClose }: EditTaskProps) {
  const me = current.value?.member;
  // A choice that is there only when the members have loaded would count as a change of the form.
  const members = new Map([...(me ? [[me.id, nameOf(me)] as const] : []), ...useMembers()]);
  const fields = useFields('task');
  const save = async (values: Values, { only, isChanged, header }: Edit) => {
    const { title = '', description, priority, dueAt, remindAt, contactId, dealId, assignedToUserId, status } = values;
    const body = {
      title,
      description: description ?? null,
      priority: priority as Schema<'TaskPriorityKey'>,
      dueAt: instant(dueAt, task?.dueAt),
      remindAt: instant(remindAt, task?.remindAt),
      assignedToUserId: assignedToUserId === undefined ? null : Number(assignedToUserId),
      // Without a contact of its own it is about the deal's.
      ...((task || contactId !== undefined) && { contactId: contactIn(contactId) }),
      dealId: deal ? deal.id : dealIn(dealId),
    };
    const to = status as Schema<'TaskStatusKey'>;
    if (task) {
      const path = { id: task.id };
      const changed = only(body);
      if (Object.keys(changed).length > 0)
        await api.patch('/v1/tasks/{id}', { params: { path, header }, body: changed });
      if (isChanged('status')) await api.post('/v1/tasks/{id}/status', { params: { path }, body: { status: to } });
    } else await api.post('/v1/tasks', { body: { ...body, status: to, ...newValues(fields, values) } });
    onDone();
    onClose();
  };
  return (
    <Dialog title={task ? t.parts.editTheTask : t.common.newTask} onClose={onClose}>
      <Form
        submit={task ? t.common.save : t.parts.createTask}
        of={task && { path: `/v1/tasks/${task.id}`, valuesOf }}
        onSubmit={save}
        onCancel={onClose}
      >
        {deal && <p class="hint">{filled(t.parts.forTheDeal, { title: deal.title })}</p>}
        <Field label={t.common.title} name="title" value={task?.title} required maxLength={200} />
        <div class="two">
          <Field label={t.common.due} name="dueAt" type="datetime-local" value={task?.dueAt && localTime(task.dueAt)} />
          <Field
            label={t.common.priority}
            name="priority"
            value={task?.priority.toLowerCase() ?? 'medium'}
            options={priorities.map((priority) => [priority, worded(priority)])}
          />
          <Field
            label={t.common.status}
            name="status"
            value={task?.status.toLowerCase() ?? 'open'}
            options={statuses()}
          />
          <Field
            label={t.common.assignee}
            name="assignedToUserId"
            value={task ? task.assignedToUserId : me?.id}
            options={[['', t.common.nobody], ...members]}
          />
          <Field
            label={t.parts.remindAt}
            name="remindAt"
            type="datetime-local"
            value={task?.remindAt && localTime(task.remindAt)}
            hint={t.parts.aReminderIsShown}
          />
        </div>
        {!deal && <ContactField value={contact} />}
        {!deal && <DealField value={chosenDeal} />}
        <Field label={t.common.description} name="description" rows={3} value={task?.description} maxLength={10_000} />
        {!task && <NewFields definitions={fields} names={members} />}
      </Form>
      {task && <TaskFields id={task.id} definitions={fields} names={members} />}
    </Dialog>
  );
}
