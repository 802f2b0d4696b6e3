import type { Noun } from './noun.ts';

const object =
  'Records in the file: `contacts`, `companies`, `deals`, `tasks`, `notes`, `messages`, `transactions`, `invoices`, or `events`.';
const format = 'Form of the file: `csv`, `ndjson` (a line of JSON for each record), or `parquet`.';

export const dataExports: Noun = {
  about: 'Files of all records of an object, written in the background and kept for a day.',
  operations: {
    exportsList:
      'Lists exports, newest first. Use it to find a file that was asked for earlier. Exports of objects whose read scope the key lacks are left out, and those older than a week are gone.',
    exportsCreate:
      'Has all records of an object that fit written to a file, newest first, events oldest first. The key needs the read scope of the object as well. The call answers at once: poll `GET /v1/exports/{id}`, or wait for `export.completed`.',
    exportsGet:
      'Returns how far an export is, and where its file is. Use it to poll until `status` is `completed`, then download from `url`. The key needs the read scope of the object as well.',
  },
  parameters: { '*': { id: 'Id of the export, as `POST /v1/exports` has answered it.' } },
  enums: {
    ExportStatus: 'How far an export is: `queued`, `running`, `completed`, or `failed`.',
    CreateExportObject: 'Kinds of records that are exported, by their names in paths.',
    CreateExportFormat: 'Form of a file: `csv`, `ndjson` (a line of JSON for each record), or `parquet`.',
  },
  schemas: {
    Export: {
      id: 'Id of the export, unique within its environment and never used again.',
      object,
      format,
      status: [
        'How far the export is. A crash begins its file anew.',
        {
          queued: 'it waits, while another one of the environment is written',
          running: 'its file is being written',
          completed: 'its file can be downloaded until `expiresAt`',
          failed: 'there is no file, and `error` says why',
        },
      ],
      rows: 'How many records the file holds. Null until it is completed.',
      sizeBytes: 'Size of the file in bytes. Null until it is completed.',
      error: 'Why there is no file, and what to do. Null unless the export failed.',
      startedAt: 'When the last attempt to write the file began, in UTC. Null while the export waits for the first.',
      completedAt: 'When the export was completed or failed, in UTC. Null until then.',
      expiresAt: 'When the file is removed: a day after its completion. Null until it is completed.',
      url: 'Where the file is for five minutes; ask again for a new address. Null unless there is a file.',
    },
    CreateExport: {
      object,
      format,
      q: 'Only records that hold all of these words, as in `POST /v1/contacts/search`. For contacts, companies, deals, and tasks.',
      filter:
        'Only records that fit: a filter as in `POST /v1/contacts/search`. For notes, messages, transactions, invoices, and events it takes their own fields.',
      viewId:
        'Id of a view of the object. Only records that fit its filter are exported; its order and columns are not taken.',
      columns:
        'Names of fields in the order of the columns, such as `name`, `tags`, `fields.size`, or `metadata.source`: at most 200. Default: all fields.',
      archived: '`true` exports only archived records, `"all"` those as well. Default false.',
    },
  },
};
