import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { id } from '#lib/core/schema.ts';
import { entity } from '#lib/table/entity.ts';
import { sortableId } from '#lib/table/keys.ts';

/** Returns the digest by which an address is known again without being shown: an erased person leaves no trace by it. */
export const digestOf = (...parts: readonly string[]) =>
  createHash('sha256').update(parts.join('\n').toLowerCase()).digest('base64url');

/** A bounce or complaint of an e-mail, so that it counts once. Kept by digests of recipient and type. */
export const MailNotices = entity({
  name: 'email-notice',
  schema: v.object({ threadId: id(), messageId: id(), notice: v.string() }),
  within: 'email-thread/{threadId}/notice',
  sortKey: ({ messageId, notice }) => `${sortableId(messageId)}#${notice}`,
});
