import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { touching } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { linkTo } from '../../app/route.ts';
import { may } from '../../app/session.ts';
import { money, percent, shortDate } from '../../app/show.ts';
import { Back } from '../../parts/back.tsx';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { EditTask } from '../../parts/edit-task.tsx';
import { Head } from '../../parts/head.tsx';
import { Menu } from '../../parts/menu.tsx';
import { Pending } from '../../parts/pending.tsx';
import { TaskRow } from '../../parts/task-row.tsx';
import { When } from '../../parts/when.tsx';
import { stageKey, stageName } from './board.ts';
import { EditDeal } from './edit.tsx';
import { moveDeal } from './move.ts';
import { Booking, Win } from './win.tsx';

type Deal = Schema<'DealWithTasks'>;

const back = <Back to="#/deals">Deals</Back>;
const moves = ['lead', 'qualified', 'proposal', 'negotiation'] as const;

/** One deal, with its tasks and, when it is won, what was booked. */
export function DealDetail({ id }: { id: number }) {
  const deal = useLoaded(
    (signal) => api.get('/v1/deals/{id}', { signal, params: { path: { id } } }),
    [id],
    touching('deal', 'task'),
  );
  const [open, setOpen] = useState<'edit' | 'win' | 'task'>();
  const { data, error, reload } = deal;
  if (!data)
    return (
      <>
        <Head title="Deal" above={back} />
        <Pending data={data} error={error} reload={reload} lines={6} />
      </>
    );
  const close = () => setOpen(undefined);
  const move = (to: 'lost' | (typeof moves)[number]) =>
    void moveDeal(data, to, {
      show: (stage) => deal.change((before) => ({ ...before, stage: stageName(stage) })),
      reload,
    });
  const isOpen = data.stage !== 'Won' && data.stage !== 'Lost';
  return (
    <>
      <Head title={data.title} above={back}>
        {may('deals:write') && (
          <>
            <Menu
              text="Move to…"
              items={moves
                .filter((stage) => stage !== stageKey(data.stage))
                .map((stage) => ({ text: stageName(stage), choose: () => move(stage) }))}
            />
            <button type="button" onClick={() => setOpen('edit')}>
              Edit
            </button>
            {isOpen && (
              <button type="button" onClick={() => move('lost')}>
                Lost
              </button>
            )}
            {data.stage !== 'Won' && (
              <button type="button" class="primary" onClick={() => setOpen('win')}>
                Won
              </button>
            )}
          </>
        )}
      </Head>
      <Facts deal={data} />
      {data.stage === 'Won' && (
        <section class="card" aria-labelledby="booking">
          <h2 id="booking">Booking</h2>
          <Booking deal={data} />
        </section>
      )}
      <section class="card" aria-labelledby="tasks">
        <div class="row">
          <h2 id="tasks">Tasks</h2>
          {may('tasks:write') && (
            <button type="button" class="small" data-new onClick={() => setOpen('task')}>
              New task
            </button>
          )}
        </div>
        {data.tasks.length === 0 ? (
          <p class="hint">Nothing is to be done for this deal.</p>
        ) : (
          <ul class="tasks">
            {data.tasks.map((task) => (
              <TaskRow
                key={task.id}
                task={task}
                reload={reload}
                onStatus={(status) =>
                  deal.change((before) => ({
                    ...before,
                    tasks: before.tasks.map((one) => (one.id === task.id ? { ...one, status } : one)),
                  }))
                }
              />
            ))}
          </ul>
        )}
      </section>
      {open === 'edit' && <EditDeal deal={data} onDone={reload} onClose={close} />}
      {open === 'win' && <Win deal={data} onWon={reload} onClose={close} />}
      {open === 'task' && <EditTask deal={data} onDone={reload} onClose={close} />}
    </>
  );
}

const tones: Partial<Record<Deal['stage'], Tone>> = { Won: 'good', Lost: 'bad' };

function Facts({ deal }: { deal: Deal }) {
  const facts: readonly [string, ComponentChildren][] = [
    ['Stage', <Badge tone={tones[deal.stage] ?? 'accent'}>{deal.stage}</Badge>],
    ['Value', money(deal.value, deal.currency)],
    ['Probability', percent(deal.probability / 100)],
    [
      'Contact',
      deal.contactId === null ? (
        '–'
      ) : (
        <a href={linkTo(`/contacts/${deal.contactId}`)}>{deal.contactName ?? `#${deal.contactId}`}</a>
      ),
    ],
    deal.closedAt === null
      ? ['Expected to close', deal.expectedCloseAt ? shortDate(deal.expectedCloseAt) : '–']
      : ['Closed', <When at={deal.closedAt} />],
    ['Created', <When at={deal.createdAt} />],
  ];
  return (
    <>
      <dl class="card facts">
        {facts.map(([title, value]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {deal.notes && <p class="card notes">{deal.notes}</p>}
    </>
  );
}
