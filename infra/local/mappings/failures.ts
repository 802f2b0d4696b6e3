import type { Answer } from '../functions/invocation.ts';

/**
 * Which of a batch's items a function's answer gives back. All of them when the answer is an error or names an item that
 * is not in the batch; none when the mapping does not ask for item failures.
 */
export function failedItems(answer: Answer, ids: readonly string[], reportsItemFailures: boolean): Set<string> {
  if (answer.error) return new Set(ids);
  if (!reportsItemFailures) return new Set();
  const result = JSON.parse(answer.payload) as { batchItemFailures?: { itemIdentifier?: unknown }[] | null } | null;
  const failures = (result?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier);
  const isSound = failures.every((id) => typeof id === 'string' && ids.includes(id));
  return new Set(isSound ? (failures as string[]) : ids);
}
