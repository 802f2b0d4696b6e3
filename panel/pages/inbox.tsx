import { t } from '../app/texts.ts';
import { Empty } from '../parts/empty.tsx';
import { Head } from '../parts/head.tsx';
import type { PageProps } from '../parts/page.ts';
import { Conversation } from './inbox/conversation.tsx';
import { Conversations } from './inbox/conversations.tsx';

/** Conversations beside the one that is open; where there is little room, one or the other. */
export default function Inbox({ variables }: PageProps) {
  const contactId = Number(variables['contactId']) || undefined;
  return (
    <div class={contactId === undefined ? 'inbox' : 'inbox open'}>
      <section class="conversations" aria-label={t.inbox.conversations}>
        {contactId === undefined ? <Head title={t.common.inbox} /> : <h2 class="head">{t.common.inbox}</h2>}
        <Conversations openId={contactId} />
      </section>
      {contactId === undefined ? (
        <div class="conversation none">
          <Empty title={t.inbox.chooseAConversation}>
            <p>{t.inbox.unreadOnesComeFirstWhat}</p>
          </Empty>
        </div>
      ) : (
        <Conversation key={contactId} contactId={contactId} />
      )}
    </div>
  );
}
