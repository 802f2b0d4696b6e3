import { useEffect, useRef, useState } from 'preact/hooks';
import type { Schema } from '../../client/index.ts';
import { api } from './api.ts';
import { type Loaded, useLoaded } from './load.ts';
import { may } from './session.ts';
import { nameOf } from './show.ts';
import { t } from './texts.ts';
import { complain } from './toasts.ts';

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

/** How the records of a noun are read by their ids, and what they are called. */
const nouns = {
  contact: {
    scope: 'contacts:read',
    read: (ids: string) => api.get('/v1/contacts', { params: { query: { ids, limit: 100, archived: 'all' } } }),
    nameOf: (of: { id: number; name?: string | null; title?: string }) => nameOf(of),
  },
  company: {
    scope: 'companies:read',
    read: (ids: string) => api.get('/v1/companies', { params: { query: { ids, limit: 100, archived: 'all' } } }),
    nameOf: ({ name }: { name?: string | null }) => name ?? '',
  },
  deal: {
    scope: 'deals:read',
    read: (ids: string) => api.get('/v1/deals', { params: { query: { ids, limit: 100, archived: 'all' } } }),
    nameOf: ({ title }: { title?: string }) => title ?? '',
  },
} as const;

/** The names of records of a noun by their ids, archived ones too; of none, nothing is asked. */
export function useNames(noun: keyof typeof nouns, given: readonly (number | null)[] | undefined): Names {
  const ids = idsOf(given);
  const { scope, read, nameOf: called } = nouns[noun];
  const found = useLoaded(
    () => (may(scope) ? byIds<{ id: number; name?: string | null; title?: string }>(ids, read) : Promise.resolve([])),
    [ids.join()],
  );
  return new Map((found.data ?? []).map((of) => [of.id, called(of)]));
}

/** The names of the contacts that a list names by their ids. */
export const useContactNames = ({
  data,
}: Pick<Loaded<{ items: readonly { contactId: number | null }[] }>, 'data'>): Names =>
  useNames(
    'contact',
    data?.items.map(({ contactId }) => contactId),
  );

/** The titles of the deals that a list names by their ids. */
export const useDealTitles = ({ data }: Pick<Loaded<{ items: readonly { dealId: number | null }[] }>, 'data'>): Names =>
  useNames(
    'deal',
    data?.items.map(({ dealId }) => dealId),
  );

/** The names of records by their ids, each read once: for lists that grow as one scrolls. */
export function useNamesSoFar(noun: keyof typeof nouns, given: readonly (number | null)[]): Names {
  const [names, setNames] = useState<Names>(new Map());
  const asked = useRef(new Set<number>());
  const { scope, read, nameOf: called } = nouns[noun];
  const missing = may(scope) ? idsOf(given).filter((id) => !asked.current.has(id)) : [];
  useEffect(() => {
    if (missing.length === 0) return;
    for (const id of missing) asked.current.add(id);
    byIds<{ id: number; name?: string | null; title?: string }>(missing, read).then((found) => {
      setNames((before) => new Map([...before, ...found.map((of) => [of.id, called(of)] as const)]));
    }, complain);
  }, [missing.join()]);
  return names;
}
