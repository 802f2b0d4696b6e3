/** Every kind of saga (lib/table/saga.ts); their worker does not compile when it leaves one out. */
export type SagaName =
  | 'block'
  | 'detach'
  | 'duplicate-enrollments'
  | 'erase'
  | 'export'
  | 'job-end'
  | 'key-cancel'
  | 'mail-end'
  | 'merge'
  | 'read'
  | 'reindex'
  | 'remove-entries'
  | 'rename'
  | 'replied'
  | 'sequence-pause'
  | 'sequence-resume';
