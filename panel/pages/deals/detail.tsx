import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { touching } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { linkTo } from '../../app/route.ts';
import { may } from '../../app/session.ts';
import { dayDate, money, percent } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
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

const back = () => <Back to="#/deals">{t.common.deals}</Back>;
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
        <Head title={t.common.deal} above={back()} />
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
      <Head title={data.title} above={back()}>
        {may('deals:write') && (
          <>
            <Menu
              text={t.deals.moveTo}
              items={moves
                .filter((stage) => stage !== stageKey(data.stage))
                .map((stage) => ({ text: stageName(stage), choose: () => move(stage) }))}
            />
            <button type="button" onClick={() => setOpen('edit')}>
              {t.common.edit}
            </button>
            {isOpen && (
              <button type="button" onClick={() => move('lost')}>
                {t.deals.lost}
              </button>
            )}
            {data.stage !== 'Won' && (
              <button type="button" class="primary" onClick={() => setOpen('win')}>
                {t.common.won}
              </button>
            )}
          </>
        )}
      </Head>
      <Facts deal={data} />
      {data.stage === 'Won' && (
        <section class="card" aria-labelledby="booking">
          <h2 id="booking">{t.deals.booking}</h2>
          <Booking deal={data} />
        </section>
      )}
      <section class="card" aria-labelledby="tasks">
        <div class="row">
          <h2 id="tasks">{t.common.tasks}</h2>
          {may('tasks:write') && (
            <button type="button" class="small" data-new onClick={() => setOpen('task')}>
              {t.common.newTask}
            </button>
          )}
        </div>
        {data.tasks.length === 0 ? (
          <p class="hint">{t.deals.nothingIsToBeDone}</p>
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
    [t.common.stage, <Badge tone={tones[deal.stage] ?? 'accent'}>{deal.stage}</Badge>],
    [t.deals.value, money(deal.value, deal.currency)],
    [t.deals.probability, percent(deal.probability / 100)],
    [
      t.common.contact,
      deal.contactId === null ? (
        '–'
      ) : (
        <a href={linkTo(`/contacts/${deal.contactId}`)}>{deal.contactName ?? `#${deal.contactId}`}</a>
      ),
    ],
    deal.closedAt === null
      ? [t.deals.expectedToClose, deal.expectedCloseAt ? dayDate(deal.expectedCloseAt) : '–']
      : [t.deals.closed, <When at={deal.closedAt} />],
    [t.common.created, <When at={deal.createdAt} />],
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
