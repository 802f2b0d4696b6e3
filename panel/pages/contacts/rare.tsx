import { useEffect, useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { useLoaded } from '../../app/load.ts';
import { go } from '../../app/route.ts';
import { saveText, saveUrl } from '../../app/save-file.ts';
import { nameOf, worded } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { attempt, say } from '../../app/toasts.ts';
import { Badge } from '../../parts/badge.tsx';
import { ContactField } from '../../parts/contact-field.tsx';
import { contactIn } from '../../parts/contact-text.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { filled } from '../../parts/filled.tsx';
import { Field, Form } from '../../parts/form.tsx';
import { Metadata } from '../../parts/metadata.tsx';
import { Pending } from '../../parts/pending.tsx';
import type { OneContact } from './one.ts';

/** What each of these dialogs is given. */
export interface RareProps {
  contact: OneContact;
  of: Schema<'ContactWithTags'>;
  onClose(): void;
}

/** Sets or clears the lead score. */
export const LeadScore = ({ contact, of, onClose }: RareProps) => (
  <Dialog title={t.contacts.leadScore} onClose={onClose}>
    <Form
      submit={t.common.save}
      of={{
        path: `/v1/contacts/${of.id}`,
        valuesOf: ({ leadScore }: RareProps['of']) => ({ score: leadScore === null ? undefined : String(leadScore) }),
      }}
      onCancel={onClose}
      onSubmit={async ({ score }, { header }) => {
        const body = { score: score === undefined ? null : Number(score) };
        await api.post('/v1/contacts/{id}/lead-score', { params: { path: { id: of.id }, header }, body });
        contact.reload();
        onClose();
      }}
    >
      <Field
        label={t.contacts.leadScore}
        name="score"
        type="number"
        min={0}
        max={100}
        step={1}
        value={of.leadScore}
        hint={t.contacts.from0To100}
      />
    </Form>
  </Dialog>
);

/** Shows and changes the metadata. */
export const MetadataOf = ({ of, onClose }: RareProps) => <Metadata noun="contacts" id={of.id} onClose={onClose} />;

/** Merges another contact into this one. */
export const Merge = ({ contact, of, onClose }: RareProps) => (
  <Dialog title={t.contacts.mergeAnotherInto(nameOf(of))} onClose={onClose}>
    <Form
      submit={t.contacts.merge2}
      isDangerous
      onCancel={onClose}
      onSubmit={async ({ contactId }) => {
        const sourceContactId = contactIn(contactId);
        if (sourceContactId === null) return;
        await api.post('/v1/contacts/{id}/merge', { params: { path: { id: of.id } }, body: { sourceContactId } });
        contact.reload();
        onClose();
        say(t.contacts.isNowPartOf(contactId ?? '', nameOf(of)));
      }}
    >
      <ContactField label={t.contacts.theOther} required />
      <p>{filled(t.contacts.messagesNotesTagsDealsAnd, { chosen: t.contacts.theOther, of: nameOf(of) })}</p>
    </Form>
  </Dialog>
);

/** Erases a person, after the name was typed. */
export function Erase({ of, onClose }: RareProps) {
  const name = nameOf(of);
  return (
    <Dialog title={t.contacts.erase(name)} onClose={onClose}>
      <Form
        submit={t.contacts.eraseForGood}
        isDangerous
        onCancel={onClose}
        onSubmit={async ({ typed }) => {
          if (typed !== name.trim()) throw new Error(t.contacts.typeTheName(name));
          const body = { confirm: String(of.id) };
          await api.post('/v1/contacts/{id}/erasure', { params: { path: { id: of.id } }, body });
          onClose();
          go('/contacts');
          say(t.contacts.isBeingErased(name));
        }}
      >
        <p>{t.contacts.erasureTakes}</p>
        <Field label={t.contacts.typeToConfirm(name)} name="typed" required autocomplete="off" />
      </Form>
    </Dialog>
  );
}

const everyMs = 2000;

/** Saves everything that is known of a person as a file. */
export function Export({ of, onClose }: RareProps) {
  const [error, setError] = useState<unknown>();
  const [attempts, setAttempts] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    setError(undefined);
    saveExport(of.id, stop.signal).then(
      () => {
        onClose();
        say(t.contacts.isExported(nameOf(of)));
      },
      (problem) => stop.signal.aborted || setError(problem),
    );
    return () => stop.abort();
  }, [of.id, attempts]);
  return (
    <Dialog title={t.contacts.exportOf(nameOf(of))} onClose={onClose}>
      {error === undefined ? (
        <p role="status">{t.contacts.theFileIsBeingMade}</p>
      ) : (
        <Failure error={error} again={() => setAttempts(attempts + 1)} />
      )}
    </Dialog>
  );
}

/** Saves the export: the document, or the file that is made where it is large. Raises when that fails or is stopped. */
async function saveExport(id: number, signal: AbortSignal): Promise<void> {
  const name = `contact-${id}.json`;
  for (;;) {
    const answer: Schema<'ContactExport'> | Schema<'ContactExportFile'> = await api.get('/v1/contacts/{id}/export', {
      signal,
      params: { path: { id } },
    });
    if (!('status' in answer)) return saveText(name, 'application/json', JSON.stringify(answer, null, 2));
    if (answer.url !== null) return saveUrl(name, answer.url);
    if (answer.status === 'failed') throw new Error(t.contacts.theExportIsTooLarge);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
    signal.throwIfAborted();
  }
}

/** The sequences that a contact is or can be in. */
export function Sequences({ of, onClose }: RareProps) {
  const all = useLoaded(
    async (signal) => {
      const { items } = await api.get('/v1/sequences', { signal, params: { query: { limit: 50 } } });
      const usable = items.filter(({ status }) => status === 'active' || status === 'paused');
      return Promise.all(
        usable.map(async (sequence) => {
          const params = { path: { id: sequence.id }, query: { contactId: of.id, limit: 1 } };
          const found = await api.get('/v1/sequences/{id}/enrollments', { signal, params });
          return { sequence, enrollment: found.items[0] };
        }),
      );
    },
    [of.id],
  );
  const { data, error, reload } = all;
  const enroll = async ({ id, name }: Schema<'Sequence'>) => {
    const work = async () => {
      const body = { contactIds: [of.id] };
      const { results } = await api.post('/v1/sequences/{id}/enrollments', { params: { path: { id } }, body });
      const problem = results[0]?.error;
      if (problem) throw new Error(problem.message);
    };
    if (await attempt(work, { said: t.contacts.isEnrolledIn(nameOf(of), name) })) reload();
  };
  const takeOut = async ({ id, name }: Schema<'Sequence'>, enrollmentId: number) => {
    const params = { path: { id, enrollmentId } };
    const work = () => api.delete('/v1/sequences/{id}/enrollments/{enrollmentId}', { params });
    if (await attempt(work, { said: t.contacts.isOutOf(nameOf(of), name) })) reload();
  };
  return (
    <Dialog title={t.contacts.sequencesOf(nameOf(of))} onClose={onClose}>
      <Pending data={data} error={error} reload={reload} lines={3} />
      {data?.length === 0 && <p class="hint">{t.contacts.noSequenceRuns}</p>}
      <ul class="work">
        {data?.map(({ sequence, enrollment }) => (
          <li key={sequence.id}>
            {sequence.name}
            {enrollment && <Badge>{worded(enrollment.status)}</Badge>}
            {enrollment && /^(active|paused)$/.test(enrollment.status) ? (
              <button type="button" class="small" onClick={() => takeOut(sequence, enrollment.id)}>
                {t.contacts.takeOut}
              </button>
            ) : (
              sequence.status === 'active' && (
                <button type="button" class="small" onClick={() => enroll(sequence)}>
                  {t.contacts.enroll}
                </button>
              )
            )}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
