import { useState } from 'preact/hooks';
import type { Schema } from '../../client/index.ts';
import { api } from '../app/api.ts';
import { readBoards, readColumns } from '../app/boards.ts';
import { useLoaded } from '../app/load.ts';
import { current, may } from '../app/session.ts';
import { t } from '../app/texts.ts';
import { ContactField } from './contact-field.tsx';
import { chosenText, contactIn, written } from './contact-text.ts';
import { NewFields, newValues, useFields } from './custom-fields.tsx';
import { Dialog } from './dialog.tsx';
import { type Edit, Field, Form, type Values } from './form.tsx';
import { dayInstant, dayOf } from './local-time.ts';

interface EditDealProps {
  /** Undefined for a new one. */
  deal?: Schema<'Deal'> | undefined;
  /** Whom a new one is for. */
  contact?: { id: number; name: string | null } | undefined;
  /** The company of a new one. */
  company?: { id: number; name: string } | undefined;
  /** The board of a new one; the default one if it is left out. */
  boardId?: number | undefined;
  onDone(): void;
  onClose(): void;
}

const bodyOf = ({ title, value, currency, contactId, probability, expectedCloseAt, notes }: Values) => ({
  title: title ?? '',
  value: Number(value ?? 0),
  currency: currency?.toUpperCase(),
  contactId: contactIn(contactId),
  probability: probability === undefined ? undefined : Number(probability),
  expectedCloseAt: dayInstant(expectedCloseAt),
  notes: notes ?? null,
});

/** A deal as the fields of a form show it. */
export const dealValues = (deal: Schema<'Deal'>): Values => ({
  title: deal.title,
  value: String(deal.value),
  currency: deal.currency,
  contactId: deal.contactId === null ? undefined : written({ id: deal.contactId, name: deal.contactName }),
  companyId: deal.company ? chosenText(deal.company) : undefined,
  probability: String(deal.probability),
  expectedCloseAt: deal.expectedCloseAt === null ? undefined : dayOf(deal.expectedCloseAt),
  notes: deal.notes ?? undefined,
});

/** Makes or changes a deal. */
export function EditDeal({ deal, contact, company, boardId, onDone, onClose }: EditDealProps) {
  const fields = useFields('deal');
  const save = async (values: Values, { only, header }: Edit) => {
    const { value, currency, ...body } = bodyOf(values);
    if (deal) {
      const changed = deal.stage === 'Won' ? body : { ...body, value, currency };
      await api.patch('/v1/deals/{id}', { params: { path: { id: deal.id }, header }, body: only(changed) });
    } else {
      await api.post('/v1/deals', {
        body: {
          ...body,
          value,
          currency,
          ...(values['columnId'] !== undefined && { columnId: Number(values['columnId']) }),
          ...(company && { companyId: company.id }),
          ...newValues(fields, values),
        },
      });
    }
    onDone();
    onClose();
  };
  const isWon = deal?.stage === 'Won';
  const party = deal?.contactId ? { id: deal.contactId, name: deal.contactName } : contact;
  return (
    <Dialog title={deal ? t.deals.editTheDeal : t.common.newDeal} onClose={onClose}>
      <Form
        submit={deal ? t.common.save : t.deals.createDeal}
        of={deal && { path: `/v1/deals/${deal.id}`, valuesOf: dealValues }}
        onSubmit={save}
        onCancel={onClose}
      >
        <Field label={t.common.title} name="title" value={deal?.title} required maxLength={200} />
        <ContactField value={party} />
        {isWon ? (
          <p class="hint">{t.deals.theValueOfAWon}</p>
        ) : (
          <div class="two">
            <Field label={t.deals.value} name="value" type="number" min={0} step={0.01} value={deal?.value ?? ''} />
            <Field
              label={t.common.currency}
              name="currency"
              value={deal?.currency ?? current.value?.workspace.currency}
              maxLength={3}
              hint={t.common.threeLettersLikeEur}
            />
          </div>
        )}
        {!deal && <ColumnFields boardId={boardId} />}
        <div class="two">
          <Field
            label={t.deals.probabilityIn}
            name="probability"
            type="number"
            min={0}
            max={100}
            step={1}
            value={deal?.probability}
            placeholder={t.deals.byTheStage}
          />
          <Field
            label={t.deals.expectedToClose}
            name="expectedCloseAt"
            type="date"
            value={deal?.expectedCloseAt && dayOf(deal.expectedCloseAt)}
          />
        </div>
        <Field label={t.deals.notes} name="notes" rows={3} value={deal?.notes} maxLength={10_000} />
        {!deal && <NewFields definitions={fields} />}
      </Form>
    </Dialog>
  );
}

/** The board and the active column in which a new deal begins. */
function ColumnFields({ boardId }: { boardId: number | undefined }) {
  const boards = useLoaded((signal) => (may('pipelines:read') ? readBoards(signal) : Promise.resolve([])), []);
  const [chosen, choose] = useState(boardId);
  const board = boards.data?.find(({ id }) => id === chosen) ?? boards.data?.[0];
  const columns = useLoaded((signal) => (board ? readColumns(signal, board.id) : Promise.resolve([])), [board?.id]);
  const active = columns.data?.filter(({ isTerminal }) => !isTerminal) ?? [];
  if (!board) return null;
  return (
    <div class="two">
      {boards.data && boards.data.length > 1 && (
        <Field
          label={t.deals.pipeline}
          name="pipelineId"
          value={board.id}
          options={boards.data.map(({ id, name }) => [id, name])}
          onType={(id) => choose(Number(id))}
        />
      )}
      <Field label={t.deals.column} name="columnId" options={active.map(({ id, name }) => [id, name])} />
    </div>
  );
}
