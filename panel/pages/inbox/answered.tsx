import type { Draft } from '../../app/drafts.ts';
import { t } from '../../app/texts.ts';
import { Icon } from '../../parts/icon.tsx';
import { UserText } from '../../parts/user-text.tsx';

interface AnsweredProps {
  of: NonNullable<Draft['answered']>;
  drop(): void;
}

/** The message that an answer refers to. */
export const Answered = ({ of: { text }, drop }: AnsweredProps) => (
  <p class="answered">
    <span class="muted">{t.inbox.answers}</span> <UserText text={text || t.inbox.anAttachment} isName />
    <button type="button" class="quiet" aria-label={t.inbox.answerNoMessage} onClick={drop}>
      <Icon name="close" />
    </button>
  </p>
);
