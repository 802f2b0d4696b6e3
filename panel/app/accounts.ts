import type { Schema } from '../../client/index.ts';
import { messaging } from '../api/lists.ts';
import { api } from './api.ts';
import { type Platform, platforms } from './channels.ts';
import { may } from './session.ts';

export type ChannelAccount = Schema<'Account'> & { channel: Platform };

/** Whether who is signed in may see the accounts of a channel. */
export const maySee = (channel: Platform): boolean => messaging[channel].seenBy.some(may);

/** The accounts of every channel that who is signed in may see. */
export async function loadAccounts(signal: AbortSignal): Promise<ChannelAccount[]> {
  const seen = platforms.map(([channel]) => channel).filter(maySee);
  const lists = await Promise.all(
    seen.map(async (channel) => {
      const { items } = await api.get(`/v1/${channel}/accounts`, { signal, params: { query: { limit: 100 } } });
      return items.map((account) => ({ ...account, channel }));
    }),
  );
  return lists.flat();
}
