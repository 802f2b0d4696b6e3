export { default as inbox } from './inbox.tsx';
export { Palette } from './palette/palette.tsx';
