import { files } from '../app/load.ts';
import type { EditDeal as DealDialog } from './edit-deal.tsx';
import type { EditTask as TaskDialog } from './edit-task.tsx';
import { later } from './later.tsx';

interface Dialogs {
  EditDeal: typeof DealDialog;
  EditTask: typeof TaskDialog;
}

const load = () => files.work?.() as Promise<Dialogs>;

/** The dialogs that make and change deals and tasks, from pages of other records. */
export const EditDeal = later(async () => (await load()).EditDeal);
export const EditTask = later(async () => (await load()).EditTask);
