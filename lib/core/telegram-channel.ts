import * as v from 'valibot';
import type { Descriptor } from './channel-descriptor.ts';
import { integer } from './schema.ts';

/** Largest file that a bot can download from Telegram. */
export const maxBotFileBytes = 20 * 1024 * 1024;
/** Larger files of a person's account are not fetched (contract section 23). */
export const maxUserFileBytes = 100 * 1024 * 1024;

const userId = integer(1, Number.MAX_SAFE_INTEGER);

export const telegram = {
  name: 'telegram',
  title: 'Telegram',
  identity: { field: 'telegramUserId', stored: v.number(), received: userId, stated: v.nullable(userId) },
  hasUsernames: true,
  maxTextCharacters: 4000,
  kinds: {
    /** Telegram's limits for bots: about 25 messages a second, one a second in a chat. */
    bot: {
      dailyLimit: 100_000,
      pacing: { peerGapMs: 1000, gapMs: 40 },
      inbound: ['webhook', 'polling', 'off'],
      maxCaptionCharacters: 1024,
    },
    /** Limits within which Telegram takes a person for no machine. */
    user: {
      dailyLimit: 200,
      pacing: { peerGapMs: 1200, gapMs: 0, perMinute: 20 },
      newPeersPerDay: 30,
      inbound: ['polling', 'off'],
      maxCaptionCharacters: 1024,
    },
  },
} as const satisfies Descriptor;
