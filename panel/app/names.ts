import type { Schema } from '../../client/index.ts';
import { api } from './api.ts';
import { type Loaded, useLoaded } from './load.ts';
import { may } from './session.ts';
import { nameOf } from './show.ts';
import { t } from './texts.ts';

export type Names = ReadonlyMap<number, string>;

/** The workspace's members, those who have left too; none for who may not see them. */
export function useMemberList(): readonly Schema<'Member'>[] {
  const members = useLoaded(async (signal) => {
    if (!may('contacts:read')) return [];
    return (await api.get('/v1/members', { signal, params: { query: { limit: 100 } } })).items;
  }, []);
  return members.data ?? [];
}

export const namesOf = (members: readonly Schema<'Member'>[]): Names =>
  new Map(members.map((member) => [member.id, nameOf(member)]));

export const useMembers = (): Names => namesOf(useMemberList());

export const memberName = (names: Names, id: number): string => names.get(id) ?? t.parts.member(id);

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
