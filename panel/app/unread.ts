import { effect } from '@preact/signals';
import { api } from './api.ts';
import { onEvents, touching } from './live.ts';
import { current, environment, may, workspaceId } from './session.ts';
import { unreadCount } from './title.ts';

/** Events come in bursts. */
const settleMs = 1000;

const isOfMessages = touching('message', 'conversation', 'contact', 'email');

/** Keeps the number of unread conversations, for the title and the navigation, while somebody is signed in. */
export function countUnread(): void {
  effect(() => {
    void environment.value;
    void workspaceId.value;
    unreadCount.value = 0;
    if (current.value === undefined || !may('contacts:read')) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = new AbortController();
    const ask = () => {
      timer = undefined;
      api.get('/panel/conversations/unread', { signal: stop.signal }).then(
        ({ unread }) => {
          unreadCount.value = unread;
        },
        // The next event asks again.
        () => undefined,
      );
    };
    const leave = onEvents((events) => {
      if (events.some(isOfMessages)) timer ??= setTimeout(ask, settleMs);
    });
    ask();
    return () => {
      leave();
      clearTimeout(timer);
      stop.abort();
    };
  });
}
