import * as v from 'valibot';
import type { Descriptor } from './channel-descriptor.ts';
import { nullablePattern } from './schema.ts';

const userId = /^\d{1,20}$/;
const description = '1 to 20 digits';

/** X, whose name in the API is the older one. */
export const twitter = {
  name: 'twitter',
  title: 'X',
  identity: {
    field: 'twitterUserId',
    stored: v.string(),
    received: v.pipe(v.string(), v.regex(userId, `must be ${description}`)),
    stated: nullablePattern(userId, 20, description),
  },
  hasUsernames: true,
  maxTextCharacters: 10_000,
  kinds: {
    /** Limits of X for a user (https://docs.x.com/x-api/fundamentals/rate-limits). */
    user: { dailyLimit: 1440, pacing: { peerGapMs: 1000, gapMs: 200, per15Minutes: 15 }, inbound: ['polling', 'off'] },
  },
} as const satisfies Descriptor;
