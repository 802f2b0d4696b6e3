import * as v from 'valibot';
import { id } from '#lib/core/schema.ts';
import { entity } from '#lib/table/entity.ts';
import { sortableId } from '#lib/table/keys.ts';

/** A bounce or complaint of an e-mail, so that it counts once. Kept by digests of recipient and type. */
export const MailNotices = entity({
  name: 'email-notice',
  schema: v.object({ threadId: id(), messageId: id(), notice: v.string() }),
  within: 'email-thread/{threadId}/notice',
  sortKey: ({ messageId, notice }) => `${sortableId(messageId)}#${notice}`,
});
