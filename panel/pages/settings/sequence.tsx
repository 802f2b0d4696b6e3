import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { channelNames } from '../../app/channels.ts';
import { touching } from '../../app/live.ts';
import { type Loaded, useLoaded } from '../../app/load.ts';
import { linkTo, place } from '../../app/route.ts';
import { may } from '../../app/session.ts';
import { count, counted, worded } from '../../app/show.ts';
import { attempt } from '../../app/toasts.ts';
import { Back } from '../../parts/back.tsx';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { ContactField, contactIn } from '../../parts/contact-field.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Choice, Filters, filter } from '../../parts/filters.tsx';
import { Form, type Values } from '../../parts/form.tsx';
import { Head } from '../../parts/head.tsx';
import { type Column, cursor, Paged } from '../../parts/paged.tsx';
import { Pending } from '../../parts/pending.tsx';
import { When } from '../../parts/when.tsx';
import { EditSequence } from './edit-sequence.tsx';
import { sequenceTones } from './sequences.tsx';

type Sequence = Schema<'SequenceWithSteps'>;
type Enrollment = Schema<'Enrollment'>;

const back = <Back to="#/settings/sequences">Sequences</Back>;

/** How long a step waits, in words. */
function waitOf(minutes: number): string {
  if (minutes === 0) return 'at once';
  for (const [unit, length] of [
    ['day', 1440],
    ['hour', 60],
  ] as const) {
    if (minutes % length === 0) return `after ${counted(minutes / length, unit)}`;
  }
  return `after ${counted(minutes, 'minute')}`;
}

/** One sequence: its steps, and how far who is enrolled has come. */
export function SequenceDetail({ id }: { id: number }) {
  const sequence = useLoaded(
    (signal) => api.get('/v1/sequences/{id}', { signal, params: { path: { id } } }),
    [id],
    touching('sequence', 'enrollment'),
  );
  const [open, setOpen] = useState<'edit' | 'enroll'>();
  const { data, error, reload } = sequence;
  if (!data)
    return (
      <>
        <Head title="Sequence" above={back} />
        <Pending data={data} error={error} reload={reload} lines={6} />
      </>
    );
  const close = () => setOpen(undefined);
  return (
    <>
      <Head title={data.name} above={back}>
        {may('sequences:write') && (
          <>
            {data.status === 'draft' && (
              <button type="button" onClick={() => setOpen('edit')}>
                Edit
              </button>
            )}
            <Switch of={sequence} sequence={data} />
            {data.status !== 'draft' && (
              <button type="button" class="primary" data-new onClick={() => setOpen('enroll')}>
                Enroll a contact
              </button>
            )}
          </>
        )}
      </Head>
      <Progress sequence={data} />
      <section class="card" aria-labelledby="steps">
        <h2 id="steps">Steps</h2>
        <ol class="stack">
          {data.steps.map((step) => (
            <li key={step.id}>
              <p class="hint">{waitOf(step.delayMinutes)}</p>
              {step.subject !== null && <p>{step.subject}</p>}
              <p class="notes">{step.text}</p>
            </li>
          ))}
        </ol>
      </section>
      {data.status !== 'draft' && <Enrollments sequence={data} />}
      {open === 'edit' && <EditSequence sequence={data} onDone={reload} onClose={close} />}
      {open === 'enroll' && <Enroll id={id} onDone={reload} onClose={close} />}
    </>
  );
}

const switches = {
  draft: ['activate', 'Activate', 'active', 'is active: contacts can be enrolled'],
  active: ['pause', 'Pause', 'paused', 'is paused'],
  paused: ['resume', 'Resume', 'active', 'goes on'],
} as const;

/** The button that activates, pauses or resumes. */
function Switch({ of, sequence: { id, name, status } }: { of: Loaded<Sequence>; sequence: Sequence }) {
  if (status === 'completed') return null;
  const [, title, to, said] = switches[status];
  const params = { path: { id } };
  const set = {
    activate: () => api.post('/panel/sequences/{id}/activate', { params, body: {} }),
    pause: () => api.post('/v1/sequences/{id}/pause', { params }),
    resume: () => api.post('/v1/sequences/{id}/resume', { params }),
  };
  const show = (shown: Sequence['status']) => of.change((before) => ({ ...before, status: shown }));
  const turn = async () => {
    show(to);
    const back = status === 'active' ? set.resume : status === 'paused' ? set.pause : undefined;
    const done = await attempt(set[switches[status][0]], {
      said: `“${name}” ${said}.`,
      takeBack: () => show(status),
      ...(back && {
        undo: async () => {
          await back();
          of.reload();
        },
      }),
    });
    if (done) of.reload();
  };
  return (
    <button type="button" class={status === 'draft' ? 'primary' : undefined} onClick={turn}>
      {title}
    </button>
  );
}

function Progress({ sequence }: { sequence: Sequence }) {
  const facts = [
    ['Enrolled', sequence.enrolledCount],
    ['Under way', sequence.activeCount],
    ['Replied', sequence.repliedCount],
    ['Completed', sequence.completedCount],
    ['Failed', sequence.failedCount],
  ] as const;
  return (
    <dl class="card facts">
      <div>
        <dt>Status</dt>
        <dd>
          <Badge tone={sequenceTones[sequence.status]}>{worded(sequence.status)}</Badge>{' '}
          {channelNames[sequence.channel]}
        </dd>
      </div>
      {facts.map(([title, number]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>{count(number)}</dd>
        </div>
      ))}
    </dl>
  );
}

const tones: Record<Enrollment['status'], Tone> = {
  active: 'accent',
  paused: 'warn',
  replied: 'good',
  completed: 'good',
  failed: 'bad',
  stopped: 'plain',
};

const columns: readonly Column<Enrollment>[] = [
  {
    title: 'Contact',
    show: ({ contactId, contactName }) => (
      <a href={linkTo(`/contacts/${contactId}`)}>{contactName ?? `#${contactId}`}</a>
    ),
  },
  {
    title: 'Status',
    show: ({ status, lastError }) => (
      <>
        <Badge tone={tones[status]}>{worded(status)}</Badge>
        {lastError && <p class="hint">{lastError}</p>}
      </>
    ),
  },
  { title: 'Step', isNumber: true, show: ({ currentStep }) => count(currentStep) },
  { title: 'Next', isWide: true, show: ({ nextRunAt }) => (nextRunAt ? <When at={nextRunAt} /> : '–') },
  { title: 'Enrolled', isWide: true, show: ({ enrolledAt }) => <When at={enrolledAt} /> },
];

function Enrollments({ sequence: { id, enrolledCount, status } }: { sequence: Sequence }) {
  const enrollments = useLoaded(
    (signal) =>
      api.get('/v1/sequences/{id}/enrollments', {
        signal,
        params: {
          path: { id },
          query: { limit: 50, after: cursor(), status: filter('status') as Enrollment['status'] | undefined },
        },
      }),
    // Who is enrolled here says so by no event.
    [id, enrolledCount, status, String(place.value.query)],
    touching('enrollment', 'sequence'),
  );
  return (
    <section aria-labelledby="enrollments">
      <h2 id="enrollments" class="section">
        Enrolled contacts
      </h2>
      <Filters>
        <Choice
          label="Status"
          name="status"
          all="Every status"
          options={Object.keys(tones).map((status) => [status, worded(status)])}
        />
      </Filters>
      <Paged
        caption="Enrolled contacts"
        of={enrollments}
        columns={columns}
        keyOf={(enrollment) => enrollment.id}
        skeletonRows={2}
        empty={
          <Empty title={filter('status') ? 'Nobody like that' : 'Nobody is enrolled'}>
            <p>Who is enrolled gets the first step after its wait.</p>
          </Empty>
        }
      />
    </section>
  );
}

function Enroll({ id, onDone, onClose }: { id: number; onDone(): void; onClose(): void }) {
  const enroll = async ({ contactId }: Values) => {
    const contact = contactIn(contactId);
    if (contact === null) return;
    await api.post('/panel/sequences/{id}/enroll', { params: { path: { id } }, body: { contactId: contact } });
    onDone();
    onClose();
  };
  return (
    <Dialog title="Enroll a contact" onClose={onClose}>
      <Form submit="Enroll" onSubmit={enroll} onCancel={onClose}>
        <ContactField required />
      </Form>
    </Dialog>
  );
}
