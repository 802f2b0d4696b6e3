import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { useLoaded } from '../../app/load.ts';
import { may } from '../../app/session.ts';
import { worded } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Field, Form } from '../../parts/form.tsx';
import { Menu } from '../../parts/menu.tsx';
import { Pending } from '../../parts/pending.tsx';
import { AssignMenu } from '../../parts/table/assign-menu.tsx';
import { type Bulk, useBulk } from '../../parts/table/bulk.ts';
import type { Source } from '../../parts/table/rows.ts';
import { SelectedBar } from '../../parts/table/selected-bar.tsx';
import type { Selection } from '../../parts/table/selection.ts';
import { stages } from './stages.ts';

type Item = Schema<'ContactBatch'>['items'][number];

interface ContactsBulkProps {
  selection: Selection;
  source: Source<Schema<'Contact'>>;
  members: readonly Schema<'Member'>[];
  onDone(): void;
}

/** What can be done with the contacts that are selected. */
export function ContactsBulk({ selection, source, members, onDone }: ContactsBulkProps) {
  const [open, setOpen] = useState<'tag' | 'enroll'>();
  const bulk = useBulk(selection, t.units.contact, onDone);
  const change = (itemOf: (id: number) => Item) =>
    bulk.inBatches(async (ids) => {
      const { results } = await api.post('/v1/contacts/batch', { body: { items: ids.map(itemOf) } });
      return results;
    });
  const update = (fields: Omit<Schema<'UpdateContactItem'>, 'op' | 'id'>) =>
    change((id) => ({ op: 'update', id, ...fields }));
  return (
    <SelectedBar units={t.units.contact} selection={selection} source={source} progress={bulk.progress}>
      <Menu
        text={t.common.stage}
        items={stages.map((stage) => ({ text: worded(stage), choose: () => void update({ stage }) }))}
      />
      <AssignMenu
        text={t.contacts.assignedTo}
        members={members}
        onAssign={(assignedToUserId) => void update({ assignedToUserId })}
      />
      <button type="button" class="small" onClick={() => setOpen('tag')}>
        {t.contacts.tagMore}
      </button>
      {may('sequences:write') && (
        <button type="button" class="small" onClick={() => setOpen('enroll')}>
          {t.contacts.enrollMore}
        </button>
      )}
      <button type="button" class="small" onClick={() => void bulk.archive('contacts')}>
        {t.fields.archive}
      </button>
      {open === 'tag' && (
        <TagAll
          onClose={() => setOpen(undefined)}
          onTag={(tagName) => change((id) => ({ op: 'addTag', id, tagName }))}
        />
      )}
      {open === 'enroll' && <EnrollAll bulk={bulk} onClose={() => setOpen(undefined)} />}
    </SelectedBar>
  );
}

function TagAll({ onTag, onClose }: { onTag(name: string): Promise<void>; onClose(): void }) {
  const known = useLoaded((signal) => api.get('/v1/tags', { signal }), []);
  return (
    <Dialog title={t.contacts.addATag} onClose={onClose}>
      <Form
        submit={t.contacts.add}
        onCancel={onClose}
        onSubmit={async ({ tag = '' }) => {
          onClose();
          await onTag(tag);
        }}
      >
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

function EnrollAll({ bulk, onClose }: { bulk: Bulk; onClose(): void }) {
  const sequences = useLoaded(
    (signal) => api.get('/v1/sequences', { signal, params: { query: { status: 'active', limit: 100 } } }),
    [],
  );
  const items = sequences.data?.items ?? [];
  const enroll = async (id: number) => {
    onClose();
    await bulk.inBatches(async (ids) => {
      const params = { path: { id } };
      const body = { contactIds: [...ids] };
      return (await api.post('/v1/sequences/{id}/enrollments', { params, body })).results;
    });
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
