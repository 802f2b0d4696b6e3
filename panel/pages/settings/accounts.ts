import { type ChannelAccount, loadAccounts } from '../../app/accounts.ts';
import { useLoaded } from '../../app/load.ts';

/** The accounts by which a sequence or an agent can write; undefined until they are there. */
export function useAccounts(): readonly ChannelAccount[] | undefined {
  const accounts = useLoaded(loadAccounts, []);
  return accounts.error === undefined ? accounts.data : [];
}
