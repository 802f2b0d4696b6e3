import type { Schema } from '../../client/index.ts';
import { api } from './api.ts';
import { t } from './texts.ts';
import { attempt } from './toasts.ts';

interface Archivable {
  noun: 'contacts' | 'companies' | 'deals';
  id: number;
  name: string;
  /** Of `include=archive`. */
  archive: Schema<'Archive'> | null | undefined;
  reload(): void;
}

/** Returns what archives a record with an undo, or restores one that is archived. */
export function archiving({ noun, id, name, archive, reload }: Archivable): { text: string; choose(): Promise<void> } {
  // The paths of all nouns are alike.
  const call = (verb: 'archive' | 'restore') =>
    api.post(`/v1/${noun}/{id}/${verb}` as '/v1/deals/{id}/archive', { params: { path: { id } }, body: {} });
  const undo = () => call('restore').then(reload);
  if (archive)
    return {
      text: t.fields.restore,
      choose: async () => {
        if (await attempt(() => call('restore'), { said: t.fields.isBack(name) })) reload();
      },
    };
  return {
    text: t.fields.archive,
    choose: async () => {
      if (await attempt(() => call('archive'), { said: t.settings.isArchived(name), undo })) reload();
    },
  };
}
