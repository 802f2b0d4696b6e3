import * as v from 'valibot';

export const channels = ['telegram', 'twitter', 'email'] as const;
export type Channel = (typeof channels)[number];

/** Whom a Telegram or X message is for; the sender uses the first that its account can. */
export const Target = v.object({
  telegramUserId: v.optional(v.number()),
  twitterUserId: v.optional(v.string()),
  username: v.optional(v.string()),
});
export type Target = v.InferOutput<typeof Target>;
