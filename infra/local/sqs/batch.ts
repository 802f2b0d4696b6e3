import { AwsError } from '../aws-error.ts';
import { prefixedError } from './errors.ts';

interface Entry {
  Id?: string | undefined;
}

interface Failure {
  Id: string;
  SenderFault: boolean;
  Code: string;
  Message: string;
}

/**
 * Checks a batch as a whole, then performs its entries one by one; one that fails does not stop the others.
 * As in SQS's JSON protocol, and against its documentation, an empty list is left out of the answer.
 */
export function performBatch<E extends Entry, Result extends object>(
  entries: readonly E[] | undefined,
  entryType: string,
  perform: (entry: E) => Result,
): { Successful?: (Result & { Id: string })[]; Failed?: Failure[] } {
  const checked = checkEntries(entries ?? [], entryType);
  const Successful: (Result & { Id: string })[] = [];
  const Failed: Failure[] = [];
  for (const { Id, entry } of checked) {
    try {
      Successful.push({ Id, ...perform(entry) });
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      Failed.push({ Id, SenderFault: true, Code: error.code, Message: error.message });
    }
  }
  return { ...(Successful.length > 0 && { Successful }), ...(Failed.length > 0 && { Failed }) };
}

function checkEntries<E extends Entry>(entries: readonly E[], entryType: string): { Id: string; entry: E }[] {
  if (entries.length === 0) {
    throw prefixedError('EmptyBatchRequest', `There should be at least one ${entryType} in the request.`);
  }
  if (entries.length > 10) {
    throw prefixedError(
      'TooManyEntriesInBatchRequest',
      `Maximum number of entries per request are 10. You have sent ${entries.length}.`,
    );
  }
  const seen = new Set<string>();
  return entries.map((entry) => {
    const Id = entry.Id ?? '';
    if (!/^[\w-]{1,80}$/.test(Id)) {
      throw prefixedError(
        'InvalidBatchEntryId',
        'A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long.',
      );
    }
    if (seen.has(Id)) throw prefixedError('BatchEntryIdsNotDistinct', `Id ${Id} repeated.`);
    seen.add(Id);
    return { Id, entry };
  });
}
