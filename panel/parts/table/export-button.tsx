import type { ComponentType } from 'preact';
import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { files } from '../../app/load.ts';
import { linkTo } from '../../app/route.ts';
import { may } from '../../app/session.ts';
import { t } from '../../app/texts.ts';
import { later } from '../later.tsx';
import type { Noun } from './question.ts';

/** What a table shows, for a file of the same records. */
export interface ExportProps {
  object: Noun;
  q: string | undefined;
  filter: Schema<'Filter'> | undefined;
  archived: Schema<'Archived'> | undefined;
  /** Names of the columns that are shown. */
  columns: readonly string[];
  /** How many records there are, in words. */
  counted: string | undefined;
}

interface ExportDialogProps extends ExportProps {
  onClose(): void;
}

const load = () => files.work?.('sheets') as Promise<{ ExportDialog: ComponentType<ExportDialogProps> }>;
const Dialog = later(async () => (await load()).ExportDialog);

/** Leads to the import of such records, and opens the dialog that exports what a table shows, for those who may move data. */
export function ExportButton(props: ExportProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      {may('imports:run') && (
        <a class="button small" href={linkTo('/import', { object: props.object })}>
          {t.common.importRecords}
        </a>
      )}
      {may('exports:run') && (
        <button type="button" class="small" onClick={() => setOpen(true)}>
          {t.common.exportRecords}
        </button>
      )}
      {isOpen && <Dialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}
