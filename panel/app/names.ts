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

/** Reads what so many ids name, a hundred a call. */
async function byIds<Item>(ids: readonly number[], read: (ids: string) => Promise<{ items: readonly Item[] }>) {
  const calls: Promise<{ items: readonly Item[] }>[] = [];
  for (let at = 0; at < ids.length; at += 100) calls.push(read(ids.slice(at, at + 100).join(',')));
  return (await Promise.all(calls)).flatMap(({ items }) => items);
}

const idsOf = (ids: readonly (number | null)[] | undefined) =>
  [...new Set((ids ?? []).flatMap((id) => id ?? []))].sort((one, other) => one - other);

/** The names of the contacts that a list names by their ids. */
export function useContactNames(of: Pick<Loaded<{ items: readonly { contactId: number | null }[] }>, 'data'>): Names {
  const ids = idsOf(of.data?.items.map(({ contactId }) => contactId));
  const contacts = useLoaded(
    async (signal) => {
      if (!may('contacts:read')) return [];
      return byIds(ids, (asked) => api.get('/v1/contacts', { signal, params: { query: { ids: asked, limit: 100 } } }));
    },
    [ids.join()],
  );
  return new Map((contacts.data ?? []).map((contact) => [contact.id, nameOf(contact)]));
}

/** The titles of the deals that a list names by their ids. */
export function useDealTitles(of: Pick<Loaded<{ items: readonly { dealId: number | null }[] }>, 'data'>): Names {
  const ids = idsOf(of.data?.items.map(({ dealId }) => dealId));
  const deals = useLoaded(
    async (signal) => {
      if (!may('deals:read')) return [];
      return byIds(ids, (asked) => api.get('/v1/deals', { signal, params: { query: { ids: asked, limit: 100 } } }));
    },
    [ids.join()],
  );
  return new Map((deals.data ?? []).map(({ id, title }) => [id, title]));
}
