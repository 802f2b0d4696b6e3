import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { archiving } from '../../app/archive.ts';
import { may, mayChange } from '../../app/session.ts';
import { nameOf } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { attempt } from '../../app/toasts.ts';
import { Menu } from '../../parts/menu.tsx';
import type { OneContact } from './one.ts';
import { Erase, Export, LeadScore, Merge, MetadataOf, Sequences } from './rare.tsx';

const dialogs = { Erase, Export, LeadScore, Merge, Metadata: MetadataOf, Sequences };

interface MoreProps {
  contact: OneContact;
  suppressed: readonly Schema<'SuppressionReason'>[];
  onSuppressed(): void;
}

/** What is rarely done with a contact. */
export function More({ contact, suppressed, onSuppressed }: MoreProps) {
  const [open, setOpen] = useState<keyof typeof dialogs>();
  const { data } = contact;
  if (!data) return null;
  const show = (name: keyof typeof dialogs) => () => setOpen(name);
  const Shown = open && dialogs[open];
  const { email } = data;
  const setSuppressed = (isSuppressed: boolean) => async () => {
    if (!email) return;
    const done = await attempt(
      () =>
        isSuppressed
          ? api.post('/v1/email/suppressions', { body: { address: email } })
          : api.delete('/v1/email/suppressions', { params: { query: { address: email } } }),
      { said: isSuppressed ? t.contacts.noMoreSequenceMails(email) : t.contacts.sequenceMailsAgain(email) },
    );
    if (done) onSuppressed();
  };
  const items = [
    ...(mayChange('contacts:write', data)
      ? [
          { text: t.contacts.leadScoreMore, choose: show('LeadScore') },
          { text: t.contacts.metadataMore, choose: show('Metadata') },
          { text: t.contacts.mergeMore, choose: show('Merge') },
          archiving({ noun: 'contacts', id: data.id, name: nameOf(data), reload: contact.reload }),
        ]
      : []),
    ...(mayChange('sequences:write', data) ? [{ text: t.contacts.sequencesMore, choose: show('Sequences') }] : []),
    ...(email && may('email:send')
      ? [
          suppressed.length > 0
            ? { text: t.contacts.allowSequenceMails, choose: setSuppressed(false) }
            : { text: t.contacts.stopSequenceMails, choose: setSuppressed(true) },
        ]
      : []),
    // The export has finance data.
    ...(may('finance:read') ? [{ text: t.contacts.export, choose: show('Export') }] : []),
    ...(may('contacts:erase') ? [{ text: t.contacts.eraseMore, isDangerous: true, choose: show('Erase') }] : []),
  ];
  if (items.length === 0) return null;
  return (
    <>
      <Menu text={t.contacts.more} label={t.contacts.moreFor(nameOf(data))} items={items} />
      {Shown && <Shown contact={contact} of={data} onClose={() => setOpen(undefined)} />}
    </>
  );
}
