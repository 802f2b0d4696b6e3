import { later } from './later.tsx';

/** The dialogs that make and change deals and tasks, from pages of other records. */
export const EditDeal = later(async () => (await import('./edit-deal.tsx')).EditDeal);
export const EditTask = later(async () => (await import('./edit-task.tsx')).EditTask);
