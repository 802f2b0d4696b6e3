import { fromNow, secondMs } from '#lib/core/clock.ts';
import type { CauseEvents } from '#test/events/causing.ts';

export const causeEvents: CauseEvents = async ({ live, post, contactId }) => {
  const task = await post('/v1/tasks', { title: 'a task', contactId });
  await live.patch(`/v1/tasks/${task.id}`, { title: 'the task' });
  await post('/v1/tasks', { title: 'a reminder', remindAt: fromNow(secondMs) });
  await post(`/v1/tasks/${task.id}/status`, { status: 'done' });
};
