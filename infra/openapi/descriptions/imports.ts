import type { Noun } from './noun.ts';

const object = 'Records that the rows become: contacts, companies, deals, tasks, or notes.';
const form = {
  fileId: 'Id of the file, of `POST /v1/files` with the purpose `import`. A file may be used again for 24 hours.',
  object,
  format: [
    'Format of the file. Detected unless given.',
    { csv: 'rows of cells, the first with the headers', ndjson: 'one JSON object a line' },
  ],
  encoding: 'Encoding of the text. Detected unless given. A byte outside it fails its row.',
  delimiter: 'Sign between cells of CSV: `,`, `;`, a tab, or `|`. Detected unless given.',
} as const;

export const imports: Noun = {
  about: 'Files of CSV or NDJSON whose rows become records, one by one, and can be undone for a day.',
  operations: {
    importsPreview:
      'Looks into an uploaded file: its format, about how many rows it has, and its columns with samples and the field that each header suggests. Use it to build the `mapping` of an import. It takes in nothing.',
    importsCreate:
      'Has the rows of a file taken in by a worker, each by the rules of the single call. Follow it with `GET /v1/imports/{id}`. One import of an environment runs at a time; others wait. With 20 unfinished ones it answers 409 `limit_reached`. The key also needs the write scope of the object.',
    importsList:
      'Lists the imports of the environment, newest first. Use it to see what was moved in and what still waits. `errorsUrl` is null for objects whose write scope the key lacks.',
    importsGet:
      'Returns how far an import is, with counts that rise each second. Use `errorsUrl` to get the rows that failed, correct them, and import that file again. It does not list the records.',
    importsCancel:
      'Stops an import after the rows in hand, which takes about a second. Rows that are done stay, and can be undone. An import that has ended answers 409 `import_over`.',
    importsUndo:
      'Archives the records that an import created, and gives back the old values of those it updated, unless somebody has changed them since. Created tags, options, and companies stay. Possible for 24 hours; it does not restore what was erased.',
  },
  parameters: { '*': { id: 'Id of the import, as in `GET /v1/imports`.' } },
  schemas: {
    PreviewImport: form,
    CreateImport: {
      ...form,
      mapping:
        'The field of each header: a name of the API, `fields.<slug>`, `metadata.<key>`, or a relation such as `company`, `contact`, `deal`, `assignee`. Headers that are left out or null are not imported.',
      matchOn:
        'Field by which a row finds the record that is there already, such as `email`, `domain`, `id`, `metadata.<key>`, or `fields.<slug>` of a unique field. A column must be mapped to it. Without it each row is a new record.',
      onConflict: [
        'Effect of a row on the record that it finds. Default `skip`.',
        { skip: 'nothing', update: 'sets the values of the row', fail: 'the row fails' },
      ],
      createMissing: [
        'Things that are made where a row names one that is not there. Otherwise such a row fails. Default: none.',
        {
          tags: 'tags of contacts',
          options: 'options of custom fields',
          companies: 'companies by their name or domain',
        },
      ],
      dryRun: 'Whether rows are only counted and their errors written. Nothing is changed. Default false.',
      silent:
        'Whether the events of the single records are left out. `import.completed` is sent anyway. Default false.',
    },
    ImportPreview: {
      format: form.format[0],
      encoding: 'Encoding of the text, as it was found or given.',
      delimiter: 'Sign between cells of CSV. Null of NDJSON.',
      rows: 'How many rows the file has, without the headers. Above 1 MiB of file an estimate.',
      columns: 'Columns in their order: at most 500.',
    },
    ImportColumn: {
      header: 'Name of the column, as `mapping` takes it. An empty or repeated one gets a number.',
      samples: 'Up to three different values of the column, each of up to 100 characters.',
      suggested: 'Field that the header suggests, null if none. First and last names together are `name`.',
    },
    Import: {
      id: 'Id of the import, unique within its environment.',
      object,
      fileName: 'Name of the file, as it was announced.',
      status: [
        'How far the import is. It goes on after a crash.',
        {
          queued: 'it waits for its turn',
          running: 'rows are taken in',
          completed: 'all rows are done',
          failed: 'it ended early; see `error`',
          canceled: 'somebody stopped it',
          undoing: 'its rows are undone',
          undone: 'its rows are undone as far as nobody has changed them',
        },
      ],
      dryRun: 'Whether it only counts its rows, and changes nothing.',
      total: 'How many rows the file has. Null until that is known.',
      processed: 'How many rows are done.',
      created: 'How many rows became new records.',
      updated: 'How many rows found a record and set their values.',
      skipped: 'How many rows found a record and left it as it is.',
      failed: 'How many rows failed; see `errorsUrl`.',
      archived: 'How many created records an undo has archived.',
      restored: 'How many updated records an undo has given old values back.',
      kept: 'How many records an undo has left with values that somebody has changed since.',
      error: 'Why the import failed. Null otherwise.',
      createdAt: 'When the import was asked for.',
      startedAt: 'When its first row was taken in hand. Null before.',
      completedAt: 'When it ended or was canceled. Null before.',
      undoUntil: 'Until when it can be undone: 24 hours after its end. Null where there is nothing to undo.',
      errorsUrl:
        'Where the rows that failed are for five minutes, with all their columns and `error`. Null if there are none, and a day after the end.',
    },
    ImportCounts: {
      total: 'How many rows the file has. Null if it could not be read.',
      processed: 'How many rows are done.',
      created: 'How many rows became new records.',
      updated: 'How many rows found a record and set their values.',
      skipped: 'How many rows found a record and left it as it is.',
      failed: 'How many rows failed and changed nothing.',
    },
  },
  enums: {
    CreateImportDelimiter: 'Signs that may stand between cells.',
    CreateImportEncoding: 'Encodings that files may have.',
    CreateImportFormat: 'Formats that files may have.',
    CreateImportObject: 'Kinds of records that rows may become.',
  },
};
