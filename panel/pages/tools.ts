export { Palette } from './palette/palette.tsx';
export { ExportDialog } from './sheets/export-dialog.tsx';
