export { Palette } from './palette/palette.tsx';
export { ExportDialog } from './sheets/export-dialog.tsx';
export { default as imports } from './sheets/import.tsx';
