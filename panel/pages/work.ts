export { default as contacts } from './contacts.tsx';
export { default as deals } from './deals.tsx';
export { default as inbox } from './inbox.tsx';
export { default as tasks } from './tasks.tsx';
