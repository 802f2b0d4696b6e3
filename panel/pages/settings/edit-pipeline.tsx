import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { type Board, type BoardColumn, readColumns } from '../../app/boards.ts';
import { worded } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { say } from '../../app/toasts.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { type Edit, Field, Form, type Values } from '../../parts/form.tsx';

interface Done {
  onDone(): void;
  onClose(): void;
}

interface EditBoardProps extends Done {
  /** Undefined for a new one. */
  board: Board | undefined;
  boards: readonly Board[];
  onMade(id: number): void;
}

/** Makes a board with the columns of another one, or renames it. */
export function EditBoard({ board, boards, onDone, onMade, onClose }: EditBoardProps) {
  const save = async ({ name = '', like }: Values, { header }: Edit) => {
    if (board) {
      await api.patch('/v1/pipelines/{id}', { params: { path: { id: board.id }, header }, body: { name } });
      onDone();
    } else {
      const columns = (await readColumns(new AbortController().signal, Number(like))).map((column) => ({
        name: column.name,
        stage: column.stage as Schema<'DealStageKey'>,
        color: column.color,
        probability: column.defaultProbability ?? 0,
      }));
      onMade((await api.post('/v1/pipelines', { body: { name, columns } })).id);
      say(t.parts.saved);
    }
    onClose();
  };
  return (
    <Dialog title={board ? t.common.editName(board.name) : t.settings.newPipeline} onClose={onClose}>
      <Form
        submit={t.common.save}
        of={board && { path: `/v1/pipelines/${board.id}`, valuesOf: ({ name }: Board) => ({ name }) }}
        onSubmit={save}
        onCancel={onClose}
      >
        <Field label={t.common.name} name="name" required maxLength={80} value={board?.name} />
        {!board && (
          <Field
            label={t.settings.beginWithTheColumnsOf}
            name="like"
            options={boards.map(({ id, name }) => [id, name])}
          />
        )}
      </Form>
    </Dialog>
  );
}

interface ArchiveBoardProps extends Done {
  board: Board;
  others: readonly Board[];
}

/** Archives a board; its open deals go to another one. */
export function ArchiveBoard({ board, others, onDone, onClose }: ArchiveBoardProps) {
  const path = { id: board.id };
  const archive = async ({ moveTo }: Values) => {
    await api.post('/v1/pipelines/{id}/archive', { params: { path }, body: { moveTo: Number(moveTo) } });
    onDone();
    onClose();
    // Its deals have moved: a restore would not bring them back.
    say(t.common.isArchived(board.name));
  };
  return (
    <Dialog title={t.settings.archiveName(board.name)} onClose={onClose}>
      <Form submit={t.fields.archive} isDangerous onSubmit={archive} onCancel={onClose}>
        <Field
          label={t.settings.moveDealsTo}
          name="moveTo"
          hint={t.settings.closedDealsStay}
          options={others.map(({ id, name }) => [id, name])}
        />
      </Form>
    </Dialog>
  );
}

interface EditColumnProps extends Done {
  boardId: number;
  /** Undefined for a new one. */
  column: BoardColumn | undefined;
}

const activeStages = ['lead', 'qualified', 'proposal', 'negotiation'] as const;

/** Makes or changes a column. */
export function EditColumn({ boardId, column, onDone, onClose }: EditColumnProps) {
  const save = async (values: Values, { only }: Edit) => {
    const { name = '', color = '', probability, stage } = values;
    const chance = probability === undefined ? {} : { probability: Number(probability) };
    if (column) {
      const body = only({ name, color, ...chance });
      const params = { path: { id: boardId, columnId: column.id } };
      if (Object.keys(body).length > 0) await api.patch('/v1/pipelines/{id}/columns/{columnId}', { params, body });
    } else
      await api.post('/v1/pipelines/{id}/columns', {
        params: { path: { id: boardId } },
        body: { name, color, ...chance, stage: stage as Schema<'DealStageKey'> },
      });
    say(t.parts.saved);
    onDone();
    onClose();
  };
  return (
    <Dialog title={column ? t.common.editName(column.name) : t.settings.newColumn} onClose={onClose}>
      <Form submit={t.common.save} onSubmit={save} onCancel={onClose}>
        <Field label={t.common.name} name="name" required maxLength={40} value={column?.name} />
        {!column && (
          <Field
            label={t.common.stage}
            name="stage"
            hint={t.settings.theStageIsFixed}
            options={activeStages.map((stage) => [stage, worded(stage)])}
          />
        )}
        <div class="two">
          <Field label={t.contacts.color} name="color" type="color" value={column?.color ?? '#3949ab'} />
          <Field
            label={t.deals.probabilityIn}
            name="probability"
            type="number"
            min={0}
            max={100}
            step={1}
            value={column?.defaultProbability}
            placeholder={t.deals.byTheStage}
          />
        </div>
      </Form>
    </Dialog>
  );
}

interface DeleteColumnProps extends Done {
  boardId: number;
  column: BoardColumn;
  others: readonly BoardColumn[];
}

/** Removes a column; its deals go to another one. */
export function DeleteColumn({ boardId, column, others, onDone, onClose }: DeleteColumnProps) {
  const remove = async ({ moveTo }: Values) => {
    await api.delete('/v1/pipelines/{id}/columns/{columnId}', {
      params: {
        path: { id: boardId, columnId: column.id },
        query: moveTo === undefined ? {} : { moveTo: Number(moveTo) },
      },
    });
    onDone();
    onClose();
  };
  return (
    <Dialog title={t.settings.deleteColumn(column.name)} onClose={onClose}>
      <Form submit={t.common.delete} isDangerous onSubmit={remove} onCancel={onClose}>
        <Field label={t.settings.moveDealsTo} name="moveTo" options={others.map(({ id, name }) => [id, name])} />
      </Form>
    </Dialog>
  );
}
