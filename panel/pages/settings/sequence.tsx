import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { channelNames } from '../../app/channels.ts';
import { everyPage } from '../../app/every-page.ts';
import { touching } from '../../app/live.ts';
import { type Loaded, useLoaded } from '../../app/load.ts';
import { linkTo, place } from '../../app/route.ts';
import { may } from '../../app/session.ts';
import { count, counted, worded } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { attempt } from '../../app/toasts.ts';
import { Back } from '../../parts/back.tsx';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { ContactField } from '../../parts/contact-field.tsx';
import { contactIn } from '../../parts/contact-text.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Choice, Filters, filter } from '../../parts/filters.tsx';
import { Form, type Values } from '../../parts/form.tsx';
import { Head } from '../../parts/head.tsx';
import { type Column, cursor, Paged } from '../../parts/paged.tsx';
import { Pending } from '../../parts/pending.tsx';
import { UserText } from '../../parts/user-text.tsx';
import { When } from '../../parts/when.tsx';
import { EditSequence } from './edit-sequence.tsx';
import { sequenceTones } from './sequences.tsx';

type Sequence = Schema<'SequenceWithSteps'>;
type Enrollment = Schema<'Enrollment'>;

const back = () => <Back to="#/settings/sequences">{t.settings.sequences}</Back>;

/** How long a step waits, in words. */
function waitOf(minutes: number): string {
  if (minutes === 0) return t.common.atOnce;
  for (const [unit, length] of [
    ['day', 1440],
    ['hour', 60],
  ] as const) {
    if (minutes % length === 0) return t.settings.after(counted(minutes / length, t.units.after[unit]));
  }
  return t.settings.after(counted(minutes, t.units.after.minute));
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
        <Head title={t.common.sequence} above={back()} />
        <Pending data={data} error={error} reload={reload} lines={6} />
      </>
    );
  const close = () => setOpen(undefined);
  return (
    <>
      <Head title={data.name} above={back()}>
        {may('sequences:write') && (
          <>
            {data.status === 'draft' && (
              <button type="button" onClick={() => setOpen('edit')}>
                {t.common.edit}
              </button>
            )}
            <Switch of={sequence} sequence={data} />
            {data.status !== 'draft' && (
              <button type="button" class="primary" data-new onClick={() => setOpen('enroll')}>
                {t.settings.enrollAContact}
              </button>
            )}
          </>
        )}
      </Head>
      <Progress sequence={data} />
      <Steps sequence={data} />
      {data.status !== 'draft' && <Enrollments sequence={data} />}
      {open === 'edit' && <EditSequence sequence={data} onDone={reload} onClose={close} />}
      {open === 'enroll' && <Enroll id={id} onDone={reload} onClose={close} />}
    </>
  );
}

/** As many pages of enrollments as are counted by step: the newest thousand. */
const maxPages = 10;

/** Reads how many contacts have got each step, and where those were who replied or failed, by the position of the step. */
async function readFigures(id: number, signal: AbortSignal) {
  const { items, hasMore } = await everyPage(
    (after: number | undefined) =>
      api.get('/v1/sequences/{id}/enrollments', {
        signal,
        params: { path: { id }, query: { limit: 100, after } },
      }),
    maxPages,
  );
  const countOf = (fits: (enrollment: Enrollment) => boolean) => items.filter(fits).length;
  const at = (position: number) => ({
    sent: countOf(({ currentStep }) => currentStep >= position),
    replied: countOf(({ currentStep, status }) => currentStep === position && status === 'replied'),
    failed: countOf(({ currentStep, status }) => currentStep === position && status === 'failed'),
  });
  return { at, isPart: hasMore, counted: items.length };
}

/** The messages of a sequence, each with how many have got it. */
function Steps({ sequence: { id, status, steps } }: { sequence: Sequence }) {
  const isDraft = status === 'draft';
  const figures = useLoaded(
    async (signal) => (isDraft ? undefined : readFigures(id, signal)),
    [id, isDraft],
    touching('enrollment'),
  );
  return (
    <section class="card" aria-labelledby="steps">
      <h2 id="steps">{t.settings.steps}</h2>
      {figures.data?.isPart && <p class="hint">{t.settings.ofTheNewest(count(figures.data.counted))}</p>}
      <ol class="stack">
        {steps.map((step) => {
          const figure = figures.data?.at(step.position);
          return (
            <li key={step.id}>
              <p class="hint">{waitOf(step.delayMinutes)}</p>
              {step.subject !== null && <p>{step.subject}</p>}
              <p class="notes">{step.text}</p>
              {!isDraft && (
                <p class="hint">
                  {figure
                    ? t.settings.stepFigures(count(figure.sent), count(figure.replied), count(figure.failed))
                    : '…'}
                </p>
              )}
            </li>
          );
        })}
      </ol>
    </section>
  );
}

const switches = () =>
  ({
    draft: ['activate', t.settings.activate, 'active', t.settings.isActiveContactsCanBe],
    active: ['pause', t.common.pause, 'paused', t.settings.isPaused],
    paused: ['resume', t.settings.resume, 'active', t.settings.goesOn],
  }) as const;

/** The button that activates, pauses or resumes. */
function Switch({ of, sequence: { id, name, status } }: { of: Loaded<Sequence>; sequence: Sequence }) {
  if (status === 'completed') return null;
  const [, title, to, said] = switches()[status];
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
    const done = await attempt(set[switches()[status][0]], {
      said: t.settings.is(name, said),
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
    [t.settings.enrolled, sequence.enrolledCount],
    [t.settings.underWay, sequence.activeCount],
    [t.settings.replied, sequence.repliedCount],
    [t.settings.completed, sequence.completedCount],
    [t.common.failed, sequence.failedCount],
  ] as const;
  return (
    <dl class="card facts">
      <div>
        <dt>{t.common.status}</dt>
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
    get title() {
      return t.common.contact;
    },
    show: ({ contactId, contactName }) => (
      <a href={linkTo(`/contacts/${contactId}`)}>
        <UserText text={contactName ?? `#${contactId}`} isName />
      </a>
    ),
  },
  {
    get title() {
      return t.common.status;
    },
    show: ({ status, lastError }) => (
      <>
        <Badge tone={tones[status]}>{worded(status)}</Badge>
        {lastError && <p class="hint">{lastError}</p>}
      </>
    ),
  },
  {
    get title() {
      return t.settings.step2;
    },
    isNumber: true,
    show: ({ currentStep }) => count(currentStep),
  },
  {
    get title() {
      return t.common.next;
    },
    isWide: true,
    show: ({ nextRunAt }) => (nextRunAt ? <When at={nextRunAt} /> : '–'),
  },
  {
    get title() {
      return t.settings.enrolled;
    },
    isWide: true,
    show: ({ enrolledAt }) => <When at={enrolledAt} />,
  },
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
        {t.settings.enrolledContacts}
      </h2>
      <Filters>
        <Choice
          label={t.common.status}
          name="status"
          all={t.common.everyStatus}
          options={Object.keys(tones).map((status) => [status, worded(status)])}
        />
      </Filters>
      <Paged
        caption={t.settings.enrolledContacts}
        of={enrollments}
        columns={columns}
        keyOf={(enrollment) => enrollment.id}
        skeletonRows={2}
        empty={
          <Empty title={filter('status') ? t.settings.nobodyLikeThat : t.settings.nobodyIsEnrolled}>
            <p>{t.settings.whoIsEnrolledGetsThe}</p>
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
    <Dialog title={t.settings.enrollAContact} onClose={onClose}>
      <Form submit={t.settings.enroll} onSubmit={enroll} onCancel={onClose}>
        <ContactField required />
      </Form>
    </Dialog>
  );
}
