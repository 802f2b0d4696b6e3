import { useState } from 'preact/hooks';
import { api } from '../../app/api.ts';
import { archiving } from '../../app/archive.ts';
import { readColumns } from '../../app/boards.ts';
import { touching } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { namesOf, useMemberList } from '../../app/names.ts';
import { may, mayChange } from '../../app/session.ts';
import { t } from '../../app/texts.ts';
import { useVisited } from '../../app/visited.ts';
import { Archived } from '../../parts/archived.tsx';
import { Back } from '../../parts/back.tsx';
import { CustomFields, useFields } from '../../parts/custom-fields.tsx';
import { EditDeal } from '../../parts/edit-deal.tsx';
import { EditTask } from '../../parts/edits.ts';
import { Field } from '../../parts/form.tsx';
import { Head } from '../../parts/head.tsx';
import { InPlace } from '../../parts/in-place.tsx';
import { Menu } from '../../parts/menu.tsx';
import { Metadata } from '../../parts/metadata.tsx';
import { Pending } from '../../parts/pending.tsx';
import { TaskRow } from '../../parts/task-row.tsx';
import { userText } from '../../parts/user-text.tsx';
import { Timeline } from '../contacts/timeline.tsx';
import { type Place, placed } from './board.ts';
import { Changes } from './changes.tsx';
import { ColumnBar } from './column-bar.tsx';
import { ContactCard } from './contact-card.tsx';
import { editing, Facts } from './facts.tsx';
import { Lose } from './lose.tsx';
import { moveDeal } from './move.ts';
import { Booking, Win } from './win.tsx';

const back = () => <Back to="#/deals">{t.common.deals}</Back>;

/** One deal: how far it is, its history and tasks, and the contact. */
export function DealDetail({ id }: { id: number }) {
  const path = { id };
  const deal = useLoaded(
    (signal) =>
      api.get('/v1/deals/{id}', {
        signal,
        params: { path, query: { include: 'owner,fields,company,pipeline,archive' } },
      }),
    [id],
    touching('deal', 'task'),
  );
  const members = useMemberList();
  const fields = useFields('deal');
  const [open, setOpen] = useState<'edit' | 'win' | 'lose' | 'task' | 'metadata'>();
  const { data, error, reload } = deal;
  useVisited('deal', data?.title);
  const boardId = data?.pipeline?.id;
  const columns = useLoaded(
    async (signal) => (boardId === undefined || !may('pipelines:read') ? [] : readColumns(signal, boardId)),
    [boardId],
    touching('pipeline'),
  );
  // The columns come first: all that stands below them would jump.
  const awaitsBoard = boardId !== undefined && may('pipelines:read') && !columns.data?.length && !columns.error;
  if (!data || awaitsBoard)
    return (
      <>
        <Head title={t.common.deal} above={back()} />
        <Pending data={data} error={error} reload={reload} lines={6} />
      </>
    );
  const close = () => setOpen(undefined);
  const move = (to: Place, lostReason?: string) =>
    void moveDeal(data, to, { lostReason, show: (at) => deal.change((before) => placed(before, at)), onMoved: reload });
  const ask = (to: Place) => {
    if (to.stage === 'won') setOpen('win');
    else if (to.stage === 'lost') setOpen('lose');
    else move(to);
  };
  const board = columns.data ?? [];
  const lost = board.find(({ stage }) => stage === 'lost');
  const names = namesOf(members);
  const isOpen = data.stage !== 'Won' && data.stage !== 'Lost';
  return (
    <>
      <Head title={data.title} above={back()}>
        {mayChange('deals:write', data) && (
          <>
            <Menu
              text={t.contacts.more}
              label={t.contacts.moreFor(data.title)}
              items={[
                { text: t.contacts.metadataMore, choose: () => setOpen('metadata') },
                archiving({ noun: 'deals', id, name: data.title, reload }),
              ]}
            />
            <button type="button" onClick={() => setOpen('edit')}>
              {t.common.edit}
            </button>
            {isOpen && lost && (
              <button type="button" onClick={() => setOpen('lose')}>
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
      <Archived noun="deals" of={data} name={data.title} names={names} reload={reload} />
      <ColumnBar deal={data} columns={board} onMove={ask} />
      <div class="beside">
        <div>
          {data.stage === 'Won' && (
            <section class="card" aria-labelledby="booking">
              <h2 id="booking">{t.deals.booking}</h2>
              <Booking deal={data} />
            </section>
          )}
          <section class="card" aria-labelledby="notes">
            <h2 id="notes">{t.deals.notes}</h2>
            <dl class="details alone-value">
              <InPlace
                label={t.deals.notes}
                shown={
                  data.notes && (
                    <span class="text" {...userText}>
                      {data.notes}
                    </span>
                  )
                }
                {...editing(deal, data, ({ notes = null }) => ({ notes }))}
              >
                <Field label={t.deals.notes} name="notes" rows={5} value={data.notes} maxLength={10_000} />
              </InPlace>
            </dl>
          </section>
          <section class="card" aria-labelledby="tasks">
            <div class="row">
              <h2 id="tasks">{t.common.tasks}</h2>
              {mayChange('tasks:write', data) && (
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
          <Changes deal={data} names={names} columns={board} />
          {data.contactId !== null && may('contacts:read') && (
            <Timeline
              key={data.contactId}
              id={data.contactId}
              name={data.contactName ?? `#${data.contactId}`}
              names={names}
              fields={[]}
            />
          )}
        </div>
        <div>
          <Facts deal={deal} data={data} members={members} />
          {data.contactId !== null && may('contacts:read') && <ContactCard key={data.contactId} id={data.contactId} />}
          <CustomFields
            definitions={fields}
            path={`/v1/deals/${id}/fields`}
            values={data.fields ?? {}}
            names={names}
            isFixed={!mayChange('deals:write', data)}
            save={async (given, header) => {
              const saved = await api.patch('/v1/deals/{id}/fields', {
                params: { path, header },
                body: { fields: given },
              });
              deal.change((of) => ({ ...of, fields: saved.fields }));
            }}
          />
        </div>
      </div>
      {open === 'edit' && <EditDeal deal={data} onDone={reload} onClose={close} />}
      {open === 'win' && <Win deal={data} onWon={reload} onClose={close} />}
      {open === 'lose' && lost && <Lose deal={data} onLose={(reason) => move(lost, reason)} onClose={close} />}
      {open === 'metadata' && <Metadata noun="deals" id={id} onClose={close} />}
      {open === 'task' && <EditTask deal={data} onDone={reload} onClose={close} />}
    </>
  );
}
