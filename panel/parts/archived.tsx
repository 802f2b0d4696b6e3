import type { Schema } from '../../client/index.ts';
import { type Archivable, restore } from '../app/archive.ts';
import { memberName, type Names } from '../app/names.ts';
import { may } from '../app/session.ts';
import { t } from '../app/texts.ts';
import { filled } from './filled.tsx';
import { When } from './when.tsx';

interface ArchivedProps extends Omit<Archivable, 'id'> {
  of: { id: number; archive?: Schema<'Archive'> | null };
  names: Names;
}

/** Says when and by whom a record was archived, with a button that restores it; nothing for others. */
export function Archived({ noun, of: { id, archive }, name, names, reload }: ArchivedProps) {
  if (!archive) return null;
  return (
    <p class="note archived">
      <span>
        {filled(t.parts.wasArchived, {
          when: <When at={archive.archivedAt} />,
          who: actorName(archive.archivedBy, names),
        })}
      </span>
      {may(`${noun}:write`) && (
        <button type="button" onClick={() => restore({ noun, id, name, reload })}>
          {t.fields.restore}
        </button>
      )}
    </p>
  );
}

function actorName({ type, id }: Schema<'EventActor'>, names: Names): string {
  switch (type) {
    case 'user':
      return memberName(names, Number(id));
    case 'api_key':
      return t.contacts.apiKey(id ?? '');
    case 'ai':
      return t.contacts.anAgent;
    case 'system':
      return t.contacts.theSystem;
  }
}
