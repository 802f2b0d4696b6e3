import { onEvents } from './live.ts';
import { preferences } from './locale.ts';
import { current } from './session.ts';
import { t } from './texts.ts';
import { say } from './toasts.ts';

/** Shows a notification of the browser to a member who wants them and does not look at the page. */
function notify(title: string, tag: string, link: string): void {
  if (!preferences.value.notifies || document.hasFocus()) return;
  if (!('Notification' in globalThis) || Notification.permission !== 'granted') return;
  const shown = new Notification(title, { tag });
  shown.onclick = () => {
    focus();
    location.hash = link;
  };
}

/** Shows the reminders of tasks to the member whose tasks they are, and notifies of messages that come in. */
export function showReminders(): void {
  onEvents((events) => {
    const member = String(current.value?.member?.id);
    for (const { event, id, data } of events) {
      if (event === 'task.reminder_due' && 'title' in data && data['assigned_to_user_id'] === member) {
        const text = t.parts.reminder(String(data['title']));
        say(text);
        notify(text, id, '#/tasks');
      }
      if (event === 'message.created' && 'direction' in data && data['direction'] === 'inbound') {
        const contactId = data['contact_id'];
        notify(t.parts.aNewMessage, `message-${contactId}`, contactId === null ? '#/inbox' : `#/inbox/${contactId}`);
      }
    }
  });
}
