import { onEvents } from './live.ts';
import { current } from './session.ts';
import { t } from './texts.ts';
import { say } from './toasts.ts';

/** Shows the reminders of tasks to the member whose tasks they are. */
export function showReminders(): void {
  onEvents((events) => {
    const member = String(current.value?.member?.id);
    for (const { event, data } of events) {
      const isMine = event === 'task.reminder_due' && 'title' in data && data['assigned_to_user_id'] === member;
      if (isMine) say(t.parts.reminder(String(data['title'])));
    }
  });
}
