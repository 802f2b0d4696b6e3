import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { touching } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { memberName, type Names } from '../../app/names.ts';
import { may } from '../../app/session.ts';
import { worded } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { Field, Form } from '../../parts/form.tsx';
import { Pending } from '../../parts/pending.tsx';
import { When } from '../../parts/when.tsx';

type Activity = Schema<'Activity'>;

const pageSize = 25;

/** What has happened with a contact, the latest first, and a place to note more. */
export function Timeline({ id, names }: { id: number; names: Names }) {
  const [shown, setShown] = useState(pageSize);
  const [drafts, setDrafts] = useState(0);
  const activities = useLoaded(
    (signal) => api.get('/v1/contacts/{id}/activities', { signal, params: { path: { id }, query: { limit: shown } } }),
    [id, shown],
    touching('contact'),
  );
  const { data, error, reload } = activities;
  return (
    <section class="card" aria-labelledby="timeline">
      <h2 id="timeline">{t.contacts.timeline}</h2>
      {may('contacts:write') && (
        <Form
          key={drafts}
          submit={t.contacts.addNote}
          onSubmit={async ({ text = '' }) => {
            await api.post('/v1/contacts/{id}/activities', { params: { path: { id } }, body: { text } });
            setDrafts(drafts + 1);
            reload();
          }}
        >
          <Field
            label={t.contacts.note}
            name="text"
            rows={2}
            required
            maxLength={10_000}
            placeholder={t.contacts.whatShouldYourTeamKnow}
          />
        </Form>
      )}
      <Pending data={data} error={error} reload={reload} lines={6} />
      <ol class="timeline">
        {data?.items.map((activity) => (
          <li key={activity.id} class={activity.type === 'Note' ? 'noted' : undefined}>
            <p class="text">{activity.type === 'Note' ? activity.text : told(activity, names)}</p>
            <p class="hint">
              {actorOf(activity, names)} · <When at={activity.createdAt} />
            </p>
          </li>
        ))}
      </ol>
      {data?.hasMore && shown < 100 && (
        <button type="button" onClick={() => setShown(Math.min(100, shown + pageSize))}>
          {t.contacts.showEarlier}
        </button>
      )}
    </section>
  );
}

function told({ type, field, oldValue, newValue }: Activity, names: Names): string {
  const whom = (value: string | null) => (value === null ? t.contacts.somebody : memberName(names, Number(value)));
  switch (type) {
    case 'Created':
      return t.contacts.becameAContact;
    case 'StageChanged':
      return t.contacts.stage(worded(oldValue ?? ''), worded(newValue ?? ''));
    case 'Assigned':
      return t.contacts.assignedToNewValue(whom(newValue));
    case 'Unassigned':
      return t.contacts.noLongerAssignedTo(whom(oldValue));
    case 'ScoreChanged':
      return newValue === null ? t.contacts.leadScoreRemoved : t.contacts.leadScoreNewValue(newValue);
    case 'TagAdded':
      return t.contacts.tagAdded(newValue ?? '');
    case 'TagRemoved':
      return t.contacts.tagRemoved(oldValue ?? newValue ?? '');
    case 'FieldUpdated':
      return `${worded(field ?? 'field')}: ${oldValue ?? '–'} → ${newValue ?? '–'}`;
    case 'Note':
      return '';
  }
}

function actorOf({ actorType, actorUserId, actorKeyId }: Activity, names: Names): string {
  switch (actorType) {
    case 'user':
      return actorUserId === null ? t.contacts.aMember : memberName(names, actorUserId);
    case 'api_key':
      return t.contacts.apiKey(actorKeyId ?? '');
    case 'ai':
      return t.contacts.anAgent;
    case 'system':
      return t.contacts.theSystem;
  }
}
