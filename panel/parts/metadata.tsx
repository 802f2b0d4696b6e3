import { api } from '../app/api.ts';
import type { Archivable } from '../app/archive.ts';
import { useLoaded } from '../app/load.ts';
import { t } from '../app/texts.ts';
import { Dialog } from './dialog.tsx';
import { Field, Form } from './form.tsx';
import { metadataIn, metadataText } from './metadata-text.ts';
import { Pending } from './pending.tsx';

interface MetadataProps extends Pick<Archivable, 'noun' | 'id'> {
  onClose(): void;
}

/** Shows and changes the pairs that programs have stored with a record. */
export function Metadata({ noun, id, onClose }: MetadataProps) {
  const path = { id };
  // The paths of all nouns are alike.
  const route = `/v1/${noun}/{id}/metadata` as '/v1/contacts/{id}/metadata';
  const { data, error, reload } = useLoaded((signal) => api.get(route, { signal, params: { path } }), [noun, id]);
  return (
    <Dialog title={t.contacts.metadata} onClose={onClose}>
      <Pending data={data} error={error} reload={reload} lines={3} />
      {data && (
        <Form
          submit={t.common.save}
          of={{
            path: `/v1/${noun}/${id}/metadata`,
            valuesOf: (one: typeof data) => ({ pairs: metadataText(one.metadata) }),
          }}
          onCancel={onClose}
          onSubmit={async ({ pairs }, { header }) => {
            const body = { metadata: metadataIn(pairs) };
            await api.put(route, { params: { path, header }, body });
            onClose();
          }}
        >
          <Field
            label={t.contacts.metadata}
            name="pairs"
            rows={6}
            value={metadataText(data.metadata)}
            hint={t.contacts.onePairALine}
          />
        </Form>
      )}
    </Dialog>
  );
}
