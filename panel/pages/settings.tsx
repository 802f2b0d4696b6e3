import { place } from '../app/route.ts';
import { may } from '../app/session.ts';
import { t } from '../app/texts.ts';
import { Head } from '../parts/head.tsx';
import type { PageProps } from '../parts/page.ts';
import { Tabs } from '../parts/tabs.tsx';
import { Agents } from './settings/agents.tsx';
import { Fields } from './settings/fields.tsx';
import { Members } from './settings/members.tsx';
import { Pipelines } from './settings/pipelines.tsx';
import { Replies } from './settings/replies.tsx';
import { SequenceDetail } from './settings/sequence.tsx';
import { Sequences } from './settings/sequences.tsx';
import { Workspace } from './settings/workspace.tsx';
import { You } from './settings/you.tsx';

export default function Settings({ variables: { id } }: PageProps) {
  if (id !== undefined) return <SequenceDetail key={id} id={Number(id)} />;
  const sides = [
    ['/settings/members', t.settings.members, Members, 'contacts:read'],
    ['/settings/workspace', t.common.workspace, Workspace, undefined],
    ['/settings/fields', t.fields.fields, Fields, 'fields:manage'],
    ['/settings/pipelines', t.settings.pipelines, Pipelines, 'pipelines:read'],
    ['/settings/sequences', t.settings.sequences, Sequences, 'sequences:read'],
    ['/settings/replies', t.common.savedReplies, Replies, 'contacts:read'],
    ['/settings/agents', t.settings.agents, Agents, 'agents:read'],
    ['/settings/you', t.settings.yourself, You, undefined],
  ] as const;
  const seen = sides.filter(([, , , scope]) => scope === undefined || may(scope));
  const path = place.value.path === '/settings' ? seen[0]?.[0] : place.value.path;
  const Side = seen.find(([of]) => of === path)?.[2];
  return (
    <>
      <Head title={t.common.settings} />
      <Tabs label={t.common.settings} tabs={seen.map(([of, title]) => [of, title])} open={path} />
      {Side ? <Side /> : <p>{t.settings.yourRoleInThisWorkspace}</p>}
    </>
  );
}
