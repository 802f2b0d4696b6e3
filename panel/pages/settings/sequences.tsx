import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { channelNames } from '../../app/channels.ts';
import { touching } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { go, linkTo, place } from '../../app/route.ts';
import { may } from '../../app/session.ts';
import { count, worded } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Choice, Filters, filter, SearchField } from '../../parts/filters.tsx';
import { type Column, cursor, Paged } from '../../parts/paged.tsx';
import { EditSequence } from './edit-sequence.tsx';

type Sequence = Schema<'Sequence'>;
type Status = Sequence['status'];

export const sequenceTones: Record<Status, Tone> = {
  draft: 'plain',
  active: 'good',
  paused: 'warn',
  completed: 'accent',
};

const columns: readonly Column<Sequence>[] = [
  {
    get title() {
      return t.common.name;
    },
    show: ({ id, name }) => <a href={linkTo(`/settings/sequences/${id}`)}>{name}</a>,
  },
  {
    get title() {
      return t.common.status;
    },
    show: ({ status }) => <Badge tone={sequenceTones[status]}>{worded(status)}</Badge>,
  },
  {
    get title() {
      return t.common.channel;
    },
    isWide: true,
    show: ({ channel }) => channelNames[channel],
  },
  {
    get title() {
      return t.settings.steps;
    },
    isWide: true,
    isNumber: true,
    show: ({ stepCount }) => count(stepCount),
  },
  {
    get title() {
      return t.settings.enrolled;
    },
    isNumber: true,
    show: ({ enrolledCount }) => count(enrolledCount),
  },
  {
    get title() {
      return t.settings.replied;
    },
    isWide: true,
    isNumber: true,
    show: ({ repliedCount }) => count(repliedCount),
  },
];

export function Sequences() {
  const sequences = useLoaded(
    (signal) =>
      api.get('/v1/sequences', {
        signal,
        params: {
          query: { limit: 50, after: cursor(), q: filter('q'), status: filter('status') as Status | undefined },
        },
      }),
    [String(place.value.query)],
    touching('sequence', 'enrollment'),
  );
  const [isNew, setNew] = useState(false);
  return (
    <>
      <div class="row">
        <Filters>
          <SearchField label={t.common.search} />
          <Choice
            label={t.common.status}
            name="status"
            all={t.common.everyStatus}
            options={Object.keys(sequenceTones).map((status) => [status, worded(status)])}
          />
        </Filters>
        {may('sequences:write') && (
          <button type="button" class="primary" data-new onClick={() => setNew(true)}>
            {t.settings.newSequence}
          </button>
        )}
      </div>
      <Paged
        caption={t.settings.sequences}
        of={sequences}
        columns={columns}
        keyOf={({ id }) => id}
        skeletonRows={3}
        empty={
          <Empty title={place.value.query.size > 0 ? t.settings.noSequencesLikeThat : t.settings.noSequencesYet}>
            <p>{t.settings.messagesThatFollowEachOther}</p>
          </Empty>
        }
      />
      {isNew && <EditSequence onDone={({ id }) => go(`/settings/sequences/${id}`)} onClose={() => setNew(false)} />}
    </>
  );
}
