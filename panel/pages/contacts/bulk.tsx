import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { useLoaded } from '../../app/load.ts';
import { may } from '../../app/session.ts';
import { counted, nameOf, worded } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { attempt, say } from '../../app/toasts.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Field, Form } from '../../parts/form.tsx';
import { Menu } from '../../parts/menu.tsx';
import { Pending } from '../../parts/pending.tsx';
import { stages } from './stages.ts';

type Item = Schema<'ContactBatch'>['items'][number];

interface BulkProps {
  chosen: ReadonlySet<number>;
  members: readonly Schema<'Member'>[];
  onDone(): void;
  onChooseAll(): Promise<void>;
  onClear(): void;
}

/** As many contacts as one call takes. */
const perCall = 100;

const chunksOf = (ids: ReadonlySet<number>): readonly number[][] => {
  const all = [...ids];
  return Array.from({ length: Math.ceil(all.length / perCall) }, (_, at) =>
    all.slice(at * perCall, (at + 1) * perCall),
  );
};

/** Says how many were done, and how many could not be, with the first reason. */
function sayResults(results: readonly { error?: { message: string } | null }[]): void {
  const failed = results.flatMap(({ error }) => (error ? [error.message] : []));
  const done = counted(results.length - failed.length, t.units.contact);
  say(failed.length === 0 ? t.contacts.changed(done) : t.contacts.changedBut(done, failed.length, failed[0] ?? ''));
}

/** What can be done with the contacts that are ticked. */
export function Bulk({ chosen, members, onDone, onChooseAll, onClear }: BulkProps) {
  const [open, setOpen] = useState<'tag' | 'enroll'>();
  const [isBusy, setBusy] = useState(false);
  const change = async (itemOf: (id: number) => Item) => {
    setBusy(true);
    await attempt(async () => {
      const results = [];
      for (const ids of chunksOf(chosen))
        results.push(...(await api.post('/v1/contacts/batch', { body: { items: ids.map(itemOf) } })).results);
      sayResults(results);
    });
    setBusy(false);
    onDone();
  };
  const update = (fields: Omit<Schema<'UpdateContactItem'>, 'op' | 'id'>) =>
    change((id) => ({ op: 'update', id, ...fields }));
  return (
    <fieldset class="grid-tools bulk" aria-busy={isBusy}>
      <legend class="hidden">{t.contacts.chosenContacts}</legend>
      <strong role="status">{t.contacts.chosen(counted(chosen.size, t.units.contact))}</strong>
      <Menu
        text={t.common.stage}
        items={stages.map((stage) => ({ text: worded(stage), choose: () => void update({ stage }) }))}
      />
      <Menu
        text={t.contacts.assignedTo}
        items={[
          { text: t.common.nobody, choose: () => void update({ assignedToUserId: null }) },
          ...members
            .filter(({ isActive }) => isActive)
            .map((member) => ({ text: nameOf(member), choose: () => void update({ assignedToUserId: member.id }) })),
        ]}
      />
      <button type="button" class="small" onClick={() => setOpen('tag')}>
        {t.contacts.tagMore}
      </button>
      {may('sequences:write') && (
        <button type="button" class="small" onClick={() => setOpen('enroll')}>
          {t.contacts.enrollMore}
        </button>
      )}
      <button type="button" class="small quiet" onClick={() => void onChooseAll()}>
        {t.contacts.chooseAllThatFit}
      </button>
      <button type="button" class="small quiet" onClick={onClear}>
        {t.contacts.chooseNone}
      </button>
      {open === 'tag' && (
        <TagAll
          onClose={() => setOpen(undefined)}
          onTag={(tagName) => change((id) => ({ op: 'addTag', id, tagName }))}
        />
      )}
      {open === 'enroll' && <EnrollAll chosen={chosen} onClose={() => setOpen(undefined)} onDone={onDone} />}
    </fieldset>
  );
}

function TagAll({ onTag, onClose }: { onTag(name: string): Promise<void>; onClose(): void }) {
  const known = useLoaded((signal) => api.get('/v1/tags', { signal }), []);
  return (
    <Dialog title={t.contacts.addATag} onClose={onClose}>
      <Form submit={t.contacts.add} onCancel={onClose} onSubmit={({ tag = '' }) => onTag(tag).then(onClose)}>
        <Field
          label={t.contacts.tag}
          name="tag"
          required
          maxLength={50}
          suggestions={(known.data?.items ?? []).map(({ name }) => name)}
        />
      </Form>
    </Dialog>
  );
}

interface EnrollAllProps {
  chosen: ReadonlySet<number>;
  onDone(): void;
  onClose(): void;
}

function EnrollAll({ chosen, onDone, onClose }: EnrollAllProps) {
  const sequences = useLoaded(
    (signal) => api.get('/v1/sequences', { signal, params: { query: { status: 'active', limit: 100 } } }),
    [],
  );
  const items = sequences.data?.items ?? [];
  const enroll = async (id: number) => {
    const results = [];
    for (const contactIds of chunksOf(chosen)) {
      const params = { path: { id } };
      results.push(...(await api.post('/v1/sequences/{id}/enrollments', { params, body: { contactIds } })).results);
    }
    sayResults(results);
    onDone();
    onClose();
  };
  return (
    <Dialog title={t.contacts.enrollInASequence} onClose={onClose}>
      <Pending data={sequences.data} error={sequences.error} reload={sequences.reload} lines={2} />
      {sequences.data && items.length === 0 && <p>{t.contacts.noSequenceRuns}</p>}
      {items.length > 0 && (
        <Form submit={t.contacts.enroll} onCancel={onClose} onSubmit={({ sequence }) => enroll(Number(sequence))}>
          <Field
            label={t.common.sequence}
            name="sequence"
            required
            options={items.map(({ id, name }) => [id, name] as const)}
          />
        </Form>
      )}
    </Dialog>
  );
}
