import { api } from './api.ts';
import { t } from './texts.ts';
import { attempt } from './toasts.ts';

export interface Archivable {
  noun: 'contacts' | 'companies' | 'deals' | 'tasks';
  id: number;
  name: string;
  reload(): void;
}

// The paths of all nouns are alike.
const call = ({ noun, id }: Archivable, verb: 'archive' | 'restore') =>
  api.post(`/v1/${noun}/{id}/${verb}` as '/v1/deals/{id}/archive', { params: { path: { id } }, body: {} });

/** Returns the item of a menu that archives a record, with an undo. */
export const archiving = (of: Archivable) => ({
  text: t.fields.archive,
  choose: async () => {
    const undo = () => call(of, 'restore').then(of.reload);
    if (await attempt(() => call(of, 'archive'), { said: t.common.isArchived(of.name), undo })) of.reload();
  },
});

/** Restores an archived record. */
export async function restore(of: Archivable): Promise<void> {
  if (await attempt(() => call(of, 'restore'), { said: t.fields.isBack(of.name) })) of.reload();
}
