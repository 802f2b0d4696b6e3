import type { Schema } from '../../../../client/index.ts';
import { api } from '../../app/api.ts';
import { useLoaded } from '../../app/load.ts';
import { may } from '../../app/session.ts';

export interface NamedAccount {
  id: number;
  name: string;
  channel: Schema<'Channel'>;
}

const query = { limit: 100 } as const;

/** The accounts by which a sequence or an agent can write; undefined until they are there. */
export function useAccounts(): readonly NamedAccount[] | undefined {
  const accounts = useLoaded(async (signal) => {
    const telegram = may('telegram:read')
      ? await api.get('/v1/telegram/accounts', { signal, params: { query } })
      : undefined;
    const x = may('twitter:send') ? await api.get('/v1/twitter/accounts', { signal, params: { query } }) : undefined;
    return [
      ...(telegram?.items ?? []).map(({ id, name }) => ({ id, name, channel: 'telegram' as const })),
      ...(x?.items ?? []).map(({ id, name }) => ({ id, name, channel: 'twitter' as const })),
    ];
  }, []);
  return accounts.error === undefined ? accounts.data : [];
}

export const channelNames: Record<Schema<'Channel'>, string> = { telegram: 'Telegram', twitter: 'X', email: 'E-mail' };
export const channelOptions = Object.entries(channelNames) as [Schema<'Channel'>, string][];
