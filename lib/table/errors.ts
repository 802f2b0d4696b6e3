type Attributes = Record<string, unknown>;

interface Failure {
  name?: string;
  $metadata?: unknown;
  Item?: Attributes;
  CancellationReasons?: { Code?: string; Item?: Attributes }[];
}

/** Returns what a service said of a failed call; an error of any other kind has none of it. */
export const failureOf = (error: unknown): Failure => (error instanceof Error ? error : {});

/** Whether a write met somebody's transaction on the same item, which was repeated in vain. */
export const isConflict = (error: unknown): boolean => failureOf(error).name === 'TransactionConflictException';

/**
 * Returns the item that failed the condition of a single write, where the write asked for it
 * (`ReturnValuesOnConditionCheckFailure`) and it exists. Undefined for any other error.
 */
export function failedCondition(error: unknown): { item: Attributes | undefined } | undefined {
  const { name, Item } = failureOf(error);
  return name === 'ConditionalCheckFailedException' ? { item: Item } : undefined;
}

/** Why a transaction was cancelled, action by action, each with the item as it stands where its action asked; none for any other error. */
export function cancellations(error: unknown): { code: string; item: Attributes | undefined }[] {
  const { name, CancellationReasons = [] } = failureOf(error);
  if (name !== 'TransactionCanceledException') return [];
  return CancellationReasons.map(({ Code = 'None', Item }) => ({ code: Code, item: Item }));
}

/** Whether DynamoDB refuses what a write holds, as it does with too many bytes. */
export const isInvalid = (error: unknown): boolean =>
  failureOf(error).name === 'ValidationException' ||
  cancellations(error).some(({ code }) => code === 'ValidationError');

/** Code by which DynamoDB reports a failed condition. */
export const conditionFailed = 'ConditionalCheckFailed';
