import * as v from 'valibot';
import { id, line, nullablePattern, paging, text, time } from '#lib/core/schema.ts';
import { entity } from '#lib/table/entity.ts';

/** A text that members answer with again and again (contract section 36). */
export const SavedReply = v.pipe(
  v.object({
    id: id(),
    name: v.string(),
    text: v.string(),
    shortcut: v.nullable(v.string()),
    createdAt: time(),
    updatedAt: v.nullable(time()),
  }),
  v.title('SavedReply'),
);

const name = () => line(80);
const body = () => text(4000);
const shortcut = () => v.optional(nullablePattern(/^[a-z0-9-]+$/, 32, 'a-z, 0-9, and -'));

export const SavedReplyQuery = v.object(paging);
export const CreateSavedReply = v.pipe(
  v.object({ name: name(), text: body(), shortcut: shortcut() }),
  v.title('CreateSavedReply'),
);
export const PatchSavedReply = v.pipe(
  v.object({ name: v.optional(name()), text: v.optional(body()), shortcut: shortcut() }),
  v.title('PatchSavedReply'),
);

/** Limit of an environment. */
export const maxSavedReplies = 200;

/** A saved reply. */
export const SavedReplies = entity({ name: 'saved-reply', schema: SavedReply });
export type StoredSavedReply = v.InferOutput<typeof SavedReply>;

/** The names and shortcuts that are taken. One row holds them all, so that it counts them and no two calls take the same. */
export const SavedReplyNames = entity({
  name: 'saved-reply-names',
  schema: v.object({
    id: v.literal(1),
    taken: v.array(v.object({ id: id(), name: v.string(), shortcut: v.nullable(v.string()) })),
  }),
});
