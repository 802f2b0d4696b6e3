/** Every kind of plan (lib/table/plan.ts); their worker does not compile when it leaves one out. */
export type PlanName =
  | 'commit'
  | 'detach'
  | 'job-end'
  | 'key-cancel'
  | 'mail-end'
  | 'merge'
  | 'reindex'
  | 'rename'
  | 'sequence-pause'
  | 'sequence-resume';
