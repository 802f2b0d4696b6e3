import { place } from '../app/route.ts';
import { may } from '../app/session.ts';
import { Head } from '../parts/head.tsx';
import type { PageProps } from '../parts/page.ts';
import { Tabs } from '../parts/tabs.tsx';
import { Agents } from './settings/agents.tsx';
import { Members } from './settings/members.tsx';
import { SequenceDetail } from './settings/sequence.tsx';
import { Sequences } from './settings/sequences.tsx';
import { Workspace } from './settings/workspace.tsx';

export default function Settings({ variables: { id } }: PageProps) {
  if (id !== undefined) return <SequenceDetail key={id} id={Number(id)} />;
  const sides = [
    ['/settings/members', 'Members', Members, 'contacts:read'],
    ['/settings/workspace', 'Workspace', Workspace, undefined],
    ['/settings/sequences', 'Sequences', Sequences, 'sequences:read'],
    ['/settings/agents', 'Agents', Agents, 'agents:read'],
  ] as const;
  const seen = sides.filter(([, , , scope]) => scope === undefined || may(scope));
  const path = place.value.path === '/settings' ? seen[0]?.[0] : place.value.path;
  const Side = seen.find(([of]) => of === path)?.[2];
  return (
    <>
      <Head title="Settings" />
      <Tabs label="Settings" tabs={seen.map(([of, title]) => [of, title])} open={path} />
      {Side ? <Side /> : <p>Your role in this workspace may not see this.</p>}
    </>
  );
}
