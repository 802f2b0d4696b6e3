export { default as inbox } from './inbox.tsx';
