import type { ComponentType } from 'preact';
import { place } from '../app/route.ts';
import { sidesOf } from '../app/sides.ts';
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

const views: Readonly<Record<string, ComponentType>> = {
  '/settings/members': Members,
  '/settings/workspace': Workspace,
  '/settings/fields': Fields,
  '/settings/pipelines': Pipelines,
  '/settings/sequences': Sequences,
  '/settings/replies': Replies,
  '/settings/agents': Agents,
  '/settings/you': You,
};

export default function Settings({ variables: { id } }: PageProps) {
  if (id !== undefined) return <SequenceDetail key={id} id={Number(id)} />;
  const sides = sidesOf('/settings');
  const path = place.value.path === '/settings' ? sides[0]?.path : place.value.path;
  const View = sides.some((side) => side.path === path) ? views[path ?? ''] : undefined;
  return (
    <>
      <Head title={t.common.settings} />
      <Tabs label={t.common.settings} tabs={sides} open={path} />
      {View ? <View /> : <p>{t.settings.yourRoleInThisWorkspace}</p>}
    </>
  );
}
