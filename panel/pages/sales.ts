export { EditDeal } from '../parts/edit-deal.tsx';
export { EditTask } from '../parts/edit-task.tsx';
export { default as deals } from './deals.tsx';
export { default as tasks } from './tasks.tsx';
