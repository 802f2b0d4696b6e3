export { default as accounts } from './accounts.tsx';
export { default as finance } from './finance.tsx';
export { default as settings } from './settings.tsx';
