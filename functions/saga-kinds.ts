import { countingTags } from '#lib/contacts/archive.ts';
import { linking } from '#lib/contacts/company-links.ts';
import { mergingCompanies } from '#lib/contacts/company-merge.ts';
import { detaching } from '#lib/contacts/delete-tag.ts';
import { merging } from '#lib/contacts/merge.ts';
import { renaming } from '#lib/contacts/rename.ts';
import type { SagaName } from '#lib/core/sagas.ts';
import { boardMoving, columnMoving } from '#lib/deals/moving.ts';
import { connecting } from '#lib/email/contact.ts';
import { entities } from '#lib/entities/all.ts';
import { reading } from '#lib/messages/read.ts';
import { erasing } from '#lib/privacy/erasure/erase.ts';
import { exporting } from '#lib/privacy/export/file.ts';
import { deletingKeyViews } from '#lib/search/key-views.ts';
import { endingDuplicates } from '#lib/sequences/duplicates.ts';
import { pauseEnrollments, resumeEnrollments } from '#lib/sequences/pause.ts';
import { stopping } from '#lib/sequences/reply.ts';
import { removingEntries } from '#lib/table/commit.ts';
import { reindexing } from '#lib/table/reindex.ts';
import type { SagaKind } from '#lib/table/saga.ts';
import { stoppingArchived } from '#lib/transport/sending/archived.ts';
import { failBlocked } from '#lib/transport/sending/blocked.ts';
import { cancelQueued } from '#lib/transport/sending/cancel.ts';
import { mailCompletion } from '#lib/transport/sending/mail-completion.ts';
import { messageCompletion } from '#lib/transport/sending/settle.ts';

/** Code that continues each kind of saga. */
const kinds: { [Name in SagaName]: SagaKind<Record<string, unknown>, Name> } = {
  block: failBlocked,
  'count-tags': countingTags,
  board: boardMoving,
  column: columnMoving,
  detach: detaching,
  'duplicate-enrollments': endingDuplicates,
  erase: erasing,
  export: exporting,
  'job-end': messageCompletion.saga,
  'key-cancel': cancelQueued,
  'key-views': deletingKeyViews,
  'mail-end': mailCompletion.saga,
  'link-company': linking,
  merge: merging,
  'merge-companies': mergingCompanies,
  read: reading,
  reindex: reindexing(entities),
  'remove-entries': removingEntries,
  rename: renaming,
  replied: stopping,
  'sequence-pause': pauseEnrollments,
  'sequence-resume': resumeEnrollments,
  'stop-archived': stoppingArchived,
  'thread-contact': connecting,
};

/** Goes on with sagas of every kind. */
export const sagaKinds: readonly SagaKind<Record<string, unknown>>[] = Object.values(kinds);
