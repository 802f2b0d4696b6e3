import { api } from './api.ts';
import { type Loaded, useLoaded } from './load.ts';
import { may } from './session.ts';
import { nameOf } from './show.ts';

type Names = ReadonlyMap<number, string>;

/** The names of the workspace's members, those who have left too. */
export function useMembers(): Names {
  const members = useLoaded(async (signal) => {
    if (!may('contacts:read')) return [];
    return (await api.get('/v1/members', { signal, params: { query: { limit: 100 } } })).items;
  }, []);
  return new Map((members.data ?? []).map((member) => [member.id, nameOf(member)]));
}

/** The names of the contacts that a list names by their ids. */
export function useContactNames(of: Loaded<{ items: readonly { contactId: number | null }[] }>): Names {
  const ids = [...new Set((of.data?.items ?? []).flatMap(({ contactId }) => contactId ?? []))].sort();
  const asked = ids.slice(0, 100).join(',');
  const contacts = useLoaded(
    async (signal) => {
      if (asked === '' || !may('contacts:read')) return [];
      return (await api.get('/v1/contacts', { signal, params: { query: { ids: asked, limit: 100 } } })).items;
    },
    [asked],
  );
  return new Map((contacts.data ?? []).map((contact) => [contact.id, nameOf(contact)]));
}
