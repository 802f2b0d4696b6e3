export { default as inbox } from './inbox.tsx';
export { default as tasks } from './tasks.tsx';
