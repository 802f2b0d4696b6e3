import { useEffect } from 'preact/hooks';
import { place } from './route.ts';
import { environment, workspaceId } from './session.ts';
import { keep, readKept } from './storage.ts';

const most = 8;

/** A record that was opened in this tab. */
export interface Visit {
  type: 'contact' | 'company' | 'deal' | 'thread' | 'invoice';
  path: string;
  title: string;
}

type Kept = Visit & { tenant: string };

const tenant = () => `${workspaceId.peek()} ${environment.peek()}`;
const readAll = (): Kept[] => readKept<Kept[]>('visited') ?? [];

/** Returns the records that were opened last in this workspace and environment, the newest first. */
export const visits = (): Visit[] => readAll().filter((visit) => visit.tenant === tenant());

/** Notes that the record of this place was opened, once its title is known. */
export function useVisited(type: Visit['type'], title: string | undefined): void {
  const { path } = place.value;
  useEffect(() => {
    if (title === undefined) return;
    const before = readAll().filter((visit) => visit.path !== path || visit.tenant !== tenant());
    keep('visited', [{ type, path, title, tenant: tenant() }, ...before].slice(0, most));
  }, [path, title]);
}
