import { useState } from 'preact/hooks';
import { api } from '../../app/api.ts';
import { type Board, type BoardColumn, readBoards, readColumns } from '../../app/boards.ts';
import { touching } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { linkTo, withQuery } from '../../app/route.ts';
import { may } from '../../app/session.ts';
import { count, counted, percent, worded } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { attempt } from '../../app/toasts.ts';
import { Badge } from '../../parts/badge.tsx';
import { Dot } from '../../parts/dot.tsx';
import { choose, filter } from '../../parts/filters.tsx';
import { Menu } from '../../parts/menu.tsx';
import { Ordered } from '../../parts/ordered.tsx';
import { Pending } from '../../parts/pending.tsx';
import { UserText } from '../../parts/user-text.tsx';
import { ArchiveBoard, DeleteColumn, EditBoard, EditColumn } from './edit-pipeline.tsx';
import { moved } from './field-options.ts';

type Open =
  | { show: 'board'; board?: Board }
  | { show: 'archive'; board: Board }
  | { show: 'column'; column?: BoardColumn }
  | { show: 'delete'; column: BoardColumn };

/** The boards of deals and the columns of one: made, changed, ordered, archived. */
export function Pipelines() {
  const showsArchived = filter('archived') === 'yes';
  const boards = useLoaded(
    (signal) => readBoards(signal, showsArchived ? 'all' : undefined),
    [showsArchived],
    touching('pipeline'),
  );
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const { data, error, reload } = boards;
  const active = data?.filter(({ isArchived }) => !isArchived) ?? [];
  const archived = data?.filter(({ isArchived }) => isArchived) ?? [];
  const board = active.find(({ id }) => id === Number(filter('board'))) ?? active[0];
  const columns = useLoaded(
    async (signal) => (board ? readColumns(signal, board.id) : []),
    [board?.id],
    touching('pipeline', 'deal'),
  );
  const reloadAll = () => {
    reload();
    columns.reload();
  };
  const canWrite = may('pipelines:write');
  const makeDefault = async ({ id }: Board) => {
    const work = () => api.patch('/v1/pipelines/{id}', { params: { path: { id } }, body: { isDefault: true } });
    if (await attempt(work, { said: t.parts.saved })) reload();
  };
  const restore = async ({ id, name }: Board) => {
    const work = () => api.post('/v1/pipelines/{id}/restore', { params: { path: { id } }, body: {} });
    if (await attempt(work, { said: t.fields.isBack(name) })) reload();
  };
  return (
    <div class="stack">
      <div class="row">
        <div class="actions">
          <label class="check">
            <input
              type="checkbox"
              checked={showsArchived}
              onChange={(event) => choose('archived', event.currentTarget.checked ? 'yes' : '')}
            />
            {t.fields.showArchived}
          </label>
          {canWrite && (
            <button type="button" class="primary" data-new onClick={() => setOpen({ show: 'board' })}>
              {t.settings.newPipeline}
            </button>
          )}
        </div>
      </div>
      <Pending data={data} error={error} reload={reload} lines={3} />
      {data && (
        <section class="card" aria-label={t.settings.pipelines}>
          <ul class="work">
            {active.map((one) => (
              <li key={one.id}>
                <a href={withQuery({ board: one.id })} aria-current={one === board ? 'true' : undefined}>
                  <UserText text={one.name} isName />
                </a>
                {one.isDefault && <Badge tone="accent">{t.settings.default}</Badge>}
                <span class="hint">{counted(one.columnCount, t.units.column)}</span>
                {canWrite && (
                  <Menu
                    text={t.common.actions}
                    label={t.common.actionsFor(one.name)}
                    items={[
                      { text: t.settings.rename, choose: () => setOpen({ show: 'board', board: one }) },
                      ...(one.isDefault
                        ? []
                        : [
                            { text: t.settings.makeDefault, choose: () => makeDefault(one) },
                            {
                              text: t.fields.archive,
                              isDangerous: true,
                              choose: () => setOpen({ show: 'archive', board: one }),
                            },
                          ]),
                    ]}
                  />
                )}
              </li>
            ))}
            {archived.map((one) => (
              <li key={one.id}>
                <UserText text={one.name} isName />
                <Badge>{t.common.archived}</Badge>
                {canWrite && (
                  <button type="button" class="small" onClick={() => restore(one)}>
                    {t.fields.restore}
                  </button>
                )}
              </li>
            ))}
          </ul>
        </section>
      )}
      {board && (
        <Columns
          board={board}
          columns={columns}
          canWrite={canWrite}
          onAdd={() => setOpen({ show: 'column' })}
          onEdit={(column) => setOpen({ show: 'column', column })}
          onDelete={(column) => setOpen({ show: 'delete', column })}
        />
      )}
      {open?.show === 'board' && (
        <EditBoard
          board={open.board}
          boards={active}
          onDone={reload}
          onMade={(id) => {
            reload();
            choose('board', String(id));
          }}
          onClose={close}
        />
      )}
      {open?.show === 'archive' && (
        <ArchiveBoard
          board={open.board}
          others={active.filter((one) => one !== open.board)}
          onDone={reload}
          onClose={close}
        />
      )}
      {board && open?.show === 'column' && (
        <EditColumn boardId={board.id} column={open.column} onDone={reloadAll} onClose={close} />
      )}
      {board && open?.show === 'delete' && (
        <DeleteColumn
          boardId={board.id}
          column={open.column}
          others={columns.data?.filter((one) => one.id !== open.column.id && !one.isTerminal) ?? []}
          onDone={reloadAll}
          onClose={close}
        />
      )}
    </div>
  );
}

interface ColumnsProps {
  board: Board;
  columns: ReturnType<typeof useLoaded<BoardColumn[]>>;
  canWrite: boolean;
  onAdd(): void;
  onEdit(column: BoardColumn): void;
  onDelete(column: BoardColumn): void;
}

function Columns({ board, columns, canWrite, onAdd, onEdit, onDelete }: ColumnsProps) {
  const { data, error, reload } = columns;
  const all = data ?? [];
  const move = async (from: number, to: number) => {
    const column = all[from];
    if (!column || to < 0 || to >= all.length || from === to) return;
    columns.change(() => moved(all, from, to));
    const params = { path: { id: board.id, columnId: column.id } };
    const work = () => api.patch('/v1/pipelines/{id}/columns/{columnId}', { params, body: { position: to + 1 } });
    if (await attempt(work, { takeBack: reload })) reload();
  };
  return (
    <section aria-labelledby="columns">
      <div class="row">
        <h2 id="columns">
          {t.deals.columns} · <UserText text={board.name} isName />
        </h2>
        <div class="actions">
          <a class="button small" href={linkTo('/deals', { board: board.id })}>
            {t.settings.openBoard}
          </a>
          {canWrite && (
            <button type="button" class="small" onClick={onAdd}>
              {t.settings.newColumn}
            </button>
          )}
        </div>
      </div>
      <Pending data={data} error={error} reload={reload} lines={5} />
      <Ordered
        items={all}
        keyOf={({ id }) => id}
        handle={({ name }, at) => t.fields.moveField(name, at, all.length)}
        hint={t.fields.dragOrArrows}
        onMove={canWrite ? move : undefined}
      >
        {(column) => (
          <>
            <div class="known-field">
              <Dot color={column.color} />{' '}
              <strong>
                <UserText text={column.name} />
              </strong>{' '}
              <span class="hint">
                {worded(column.stage)} · {percent((column.defaultProbability ?? 0) / 100)} · {t.common.deals}:{' '}
                {count(column.count)}
              </span>
            </div>
            {canWrite && (
              <Menu
                text={t.common.actions}
                label={t.common.actionsFor(column.name)}
                items={[
                  { text: t.common.edit, choose: () => onEdit(column) },
                  ...(column.isTerminal
                    ? []
                    : [{ text: t.common.delete, isDangerous: true, choose: () => onDelete(column) }]),
                ]}
              />
            )}
          </>
        )}
      </Ordered>
    </section>
  );
}
