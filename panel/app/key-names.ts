import { api } from './api.ts';
import { useLoaded } from './load.ts';
import { may } from './session.ts';

/** The names of the API keys by their 12-character ids; asked for only when needed, and by a member who may see them. */
export function useKeyNames(isNeeded: boolean): ReadonlyMap<string, string> {
  const keys = useLoaded(
    async (signal) => {
      if (!isNeeded || !may('keys:manage')) return [];
      return (await api.get('/v1/keys', { signal, params: { query: { limit: 100 } } })).items;
    },
    [isNeeded],
  );
  return new Map((keys.data ?? []).map(({ keyId, name }) => [keyId, name]));
}
