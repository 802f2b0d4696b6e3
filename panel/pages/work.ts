export { default as inbox } from './inbox.tsx';
export { Palette } from './palette/palette.tsx';
export { default as tasks } from './tasks.tsx';
