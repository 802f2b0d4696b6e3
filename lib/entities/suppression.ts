import * as v from 'valibot';
import { suppressionReasons } from '#lib/core/choices.ts';
import { addressKey, digestOf, oneAddress } from '#lib/core/mail-address.ts';
import { id, paging, pattern, queryText, storedChoice, time } from '#lib/core/schema.ts';
import { entity } from '#lib/table/entity.ts';

const address = () => pattern(oneAddress, 254, 'one e-mail address, such as ada@example.com');

/** An address that gets no sequence mail, and why (revision 1.4, section 35). */
export const Suppression = v.pipe(
  v.object({
    id: id(),
    /** Null once the person is erased: their address is then known by its digest alone. */
    address: v.nullable(v.string()),
    reasons: v.array(storedChoice(suppressionReasons)),
    createdAt: time(),
  }),
  v.title('Suppression'),
);

export const SuppressionQuery = v.object({ ...paging, address: v.optional(queryText()) });
export const CreateSuppression = v.pipe(v.object({ address: address() }), v.title('CreateSuppression'));
export const DeleteSuppression = v.object({ address: address() });

/** An address that gets no sequence mail. */
export const Suppressions = entity({ name: 'suppression', schema: Suppression });
export type StoredSuppression = v.InferOutput<typeof Suppression>;

/** Finds the suppression of an address by the digest of that. */
export const SuppressedAddresses = entity({
  name: 'suppressed-address',
  schema: v.object({
    address: v.string(),
    id: id(),
    reasons: v.array(storedChoice(suppressionReasons)),
    /** When a mail to it bounced for good. */
    bouncedAt: v.optional(v.string()),
  }),
  sortKey: ({ address: digest }) => digest,
});

/** Returns where the suppression of an address is. */
export const suppressedKey = (email: string) => ({ address: digestOf(addressKey(email)) });
