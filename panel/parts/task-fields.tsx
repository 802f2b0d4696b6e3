import type { Schema } from '../../client/index.ts';
import { api } from '../app/api.ts';
import { useLoaded } from '../app/load.ts';
import type { Names } from '../app/names.ts';
import { may } from '../app/session.ts';
import { CustomFields } from './custom-fields.tsx';
import { Pending } from './pending.tsx';

interface TaskFieldsProps {
  id: number;
  definitions: readonly Schema<'Field'>[];
  names: Names;
}

/** The custom fields of a task, edited in place; nothing where the workspace has none for tasks. */
export function TaskFields({ id, definitions, names }: TaskFieldsProps) {
  const path = { id };
  const values = useLoaded(
    (signal) =>
      definitions.length > 0
        ? api.get('/v1/tasks/{id}/fields', { signal, params: { path } })
        : Promise.resolve({ fields: {} }),
    [id, definitions.length > 0],
  );
  const { data, error, reload } = values;
  if (definitions.length === 0) return null;
  if (!data) return <Pending data={data} error={error} reload={reload} lines={2} />;
  return (
    <CustomFields
      definitions={definitions}
      path={`/v1/tasks/${id}/fields`}
      values={data.fields}
      names={names}
      isFixed={!may('tasks:write')}
      save={async (fields, header) => {
        const saved = await api.patch('/v1/tasks/{id}/fields', { params: { path, header }, body: { fields } });
        values.change(() => saved);
      }}
    />
  );
}
