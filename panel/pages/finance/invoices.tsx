import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { touching } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { useContactNames } from '../../app/names.ts';
import { linkTo, place } from '../../app/route.ts';
import { current, may } from '../../app/session.ts';
import { money, worded } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { ContactField } from '../../parts/contact-field.tsx';
import { contactIn } from '../../parts/contact-text.ts';
import { Day } from '../../parts/day.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Choice, Filters, filter } from '../../parts/filters.tsx';
import { Field, Form, type Values } from '../../parts/form.tsx';
import { dayInstant, dayStart, localDate } from '../../parts/local-time.ts';
import { type Column, cursor, Paged } from '../../parts/paged.tsx';
import { UserText } from '../../parts/user-text.tsx';
import { InvoiceActions } from './invoice-actions.tsx';

type Invoice = Schema<'Invoice'>;
type Status = Invoice['status'];

export const tones: Record<Status, Tone> = {
  draft: 'plain',
  sent: 'accent',
  overdue: 'bad',
  paid: 'good',
  canceled: 'plain',
};
const statuses = Object.keys(tones) as Status[];

export function Invoices() {
  const invoices = useLoaded(
    (signal) =>
      api.get('/v1/finance/invoices', {
        signal,
        params: { query: { limit: 50, after: cursor(), status: filter('status') as Status | undefined } },
      }),
    [String(place.value.query)],
    touching('invoice', 'transaction'),
  );
  const names = useContactNames(invoices);
  const [isNew, setNew] = useState(false);
  const show = (id: number, status: Status) =>
    invoices.change((before) => ({
      ...before,
      items: before.items.map((invoice) => (invoice.id === id ? { ...invoice, status } : invoice)),
    }));
  const columns: readonly Column<Invoice>[] = [
    {
      title: t.finance.number,
      show: ({ id, invoiceNumber, status }) => (
        <div class="row">
          <a href={linkTo(`/finance/invoices/${id}`)}>
            <UserText text={invoiceNumber} isName />
          </a>
          <Badge tone={tones[status]}>{worded(status)}</Badge>
        </div>
      ),
    },
    {
      title: t.common.contact,
      isWide: true,
      show: ({ contactId }) =>
        contactId === null ? (
          '–'
        ) : (
          <a href={linkTo(`/contacts/${contactId}`)}>
            <UserText text={names.get(contactId) ?? `#${contactId}`} isName />
          </a>
        ),
    },
    { title: t.common.due, isWide: true, show: ({ dueDate }) => <Day at={dueDate} /> },
    { title: t.finance.total, isNumber: true, show: ({ total, currency }) => money(total, currency) },
    ...(may('finance:write')
      ? [
          {
            title: t.common.actions,
            isHidden: true,
            show: (invoice: Invoice) => (
              <InvoiceActions
                invoice={invoice}
                text="⋯"
                onStatus={(status) => show(invoice.id, status)}
                reload={invoices.reload}
              />
            ),
          },
        ]
      : []),
  ];
  return (
    <>
      <div class="row">
        <Filters>
          <Choice
            label={t.common.status}
            name="status"
            all={t.common.everyStatus}
            options={statuses.map((status) => [status, worded(status)])}
          />
        </Filters>
        {may('finance:write') && (
          <button type="button" class="primary" data-new onClick={() => setNew(true)}>
            {t.finance.newInvoice}
          </button>
        )}
      </div>
      <Paged
        caption={t.finance.invoices}
        of={invoices}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <Empty title={filter('status') ? t.finance.noSuchInvoices : t.finance.noInvoicesYet}>
            <p>{t.finance.anInvoiceBeginsAsA}</p>
          </Empty>
        }
      />
      {isNew && <NewInvoice onDone={invoices.reload} onClose={() => setNew(false)} />}
    </>
  );
}

interface DialogProps {
  onDone(): void;
  onClose(): void;
}

function NewInvoice({ onDone, onClose }: DialogProps) {
  const create = async ({ contactId, invoiceNumber = '', currency = '', total, issueDate, dueDate }: Values) => {
    const contact = contactIn(contactId);
    if (contact === null) return;
    await api.post('/panel/invoices', {
      body: {
        contactId: contact,
        invoiceNumber,
        currency: currency.toUpperCase(),
        total: Number(total),
        issueDate: dayInstant(issueDate) ?? '',
        dueDate: dayInstant(dueDate) ?? '',
        status: 'draft',
      },
    });
    onDone();
    onClose();
  };
  return (
    <Dialog title={t.finance.newInvoice} onClose={onClose}>
      <Form submit={t.common.createDraft} onSubmit={create} onCancel={onClose}>
        <ContactField required />
        <Field label={t.finance.invoiceNumber} name="invoiceNumber" required maxLength={64} />
        <div class="two">
          <Field label={t.finance.total} name="total" type="number" min={0.01} step={0.01} required />
          <Field
            label={t.common.currency}
            name="currency"
            value={current.value?.workspace.currency}
            required
            maxLength={3}
            hint={t.common.threeLettersLikeEur}
          />
          <Field label={t.finance.issued} name="issueDate" type="date" value={localDate(new Date())} required />
          <Field label={t.common.due} name="dueDate" type="date" value={localDate(dayStart(14))} required />
        </div>
      </Form>
    </Dialog>
  );
}
