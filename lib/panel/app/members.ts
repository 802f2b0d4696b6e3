import type { Schema } from '../../../client/index.ts';
import { api } from './api.ts';
import { useLoaded } from './load.ts';
import { may } from './session.ts';
import { nameOf } from './show.ts';

const atMost = { limit: 100 } as const;

/** The members of the workspace, whom things are assigned to; none for who may not see them. */
export function useMembers(): readonly Schema<'Member'>[] {
  const { data } = useLoaded(
    async (signal) =>
      may('contacts:read') ? api.get('/v1/members', { signal, params: { query: atMost } }) : undefined,
    [],
  );
  return data?.items ?? [];
}

export const memberName = (members: readonly Schema<'Member'>[], id: number): string => {
  const member = members.find((one) => one.id === id);
  return member ? nameOf(member) : `Member ${id}`;
};
