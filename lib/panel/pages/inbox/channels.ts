import type { Schema } from '../../../../client/index.ts';

type Channel = Schema<'Channel'>;

/** What channels are called. */
export const channelNames: Record<Channel, string> = { telegram: 'Telegram', twitter: 'X', email: 'E-mail' };

export const channels = Object.entries(channelNames) as [Channel, string][];
