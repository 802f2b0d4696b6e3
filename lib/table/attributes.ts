import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';

type Attributes = Record<string, unknown>;

export const marshallOptions = { removeUndefinedValues: true, allowImpreciseNumbers: true };

/** Sums of money pass 2^53 cents: DynamoDB counts them exactly, and they are shown as the number next to them. */
export const unmarshallOptions = { wrapNumbers: Number };

/** Returns the plain values of an item as the SDK's client has it, or as a stream shows it. */
export const attributesOf = (item: object): Attributes =>
  unmarshall(item as Record<string, AttributeValue>, unmarshallOptions);

/** Returns an item as a later read will have it. */
export const asRead = (item: object): Attributes => attributesOf(marshall(item, marshallOptions));
