import { t } from '../app/texts.ts';
import { Empty } from '../parts/empty.tsx';
import { Head } from '../parts/head.tsx';
import type { PageProps } from '../parts/page.ts';
import { Conversation } from './inbox/conversation.tsx';
import { Conversations } from './inbox/conversations.tsx';
import { Stranger } from './inbox/stranger.tsx';
import type { Which } from './inbox/which.ts';

/** Conversations beside the one that is open; where there is little room, one or the other. */
export default function Inbox({ variables }: PageProps) {
  const contactId = Number(variables['contactId']) || undefined;
  const threadId = Number(variables['threadId']) || undefined;
  const open: Which | undefined =
    contactId !== undefined ? { contactId } : threadId !== undefined ? { threadId } : undefined;
  return (
    <div class={open === undefined ? 'inbox' : 'inbox open'}>
      <section class="conversations" aria-label={t.inbox.conversations}>
        {open === undefined ? <Head title={t.common.inbox} /> : <h2 class="head">{t.common.inbox}</h2>}
        <Conversations open={open} />
      </section>
      {open === undefined ? (
        <div class="conversation none">
          <Empty title={t.inbox.chooseAConversation}>
            <p>{t.inbox.messagesComeWithinSeconds}</p>
          </Empty>
        </div>
      ) : open.contactId !== undefined ? (
        <Conversation key={open.contactId} contactId={open.contactId} />
      ) : (
        <Stranger key={`thread ${open.threadId}`} threadId={open.threadId} />
      )}
    </div>
  );
}
