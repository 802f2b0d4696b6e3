import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { touching } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { useContactNames } from '../../app/names.ts';
import { linkTo, place } from '../../app/route.ts';
import { current, may } from '../../app/session.ts';
import { dayDate, money, worded } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { attempt } from '../../app/toasts.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { ContactField } from '../../parts/contact-field.tsx';
import { contactIn } from '../../parts/contact-text.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Empty } from '../../parts/empty.tsx';
import { filled } from '../../parts/filled.tsx';
import { Choice, Filters, filter } from '../../parts/filters.tsx';
import { Field, Form, type Values } from '../../parts/form.tsx';
import { dayInstant, dayStart, instant, localDate } from '../../parts/local-time.ts';
import { Menu } from '../../parts/menu.tsx';
import { type Column, cursor, Paged } from '../../parts/paged.tsx';

type Invoice = Schema<'Invoice'>;
type Status = Invoice['status'];

const tones: Record<Status, Tone> = { draft: 'plain', sent: 'accent', overdue: 'bad', paid: 'good', canceled: 'plain' };
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
  const [asked, setAsked] = useState<{ invoice: Invoice; of: 'cancel' | 'paid' }>();
  const show = (id: number, status: Status) =>
    invoices.change((before) => ({
      ...before,
      items: before.items.map((invoice) => (invoice.id === id ? { ...invoice, status } : invoice)),
    }));
  const send = async ({ id, status, invoiceNumber }: Invoice) => {
    show(id, 'sent');
    const done = await attempt(() => api.post('/panel/invoices/{id}/send', { params: { path: { id } }, body: {} }), {
      said: t.finance.invoiceCountsAsSent(invoiceNumber),
      takeBack: () => show(id, status),
    });
    if (done) invoices.reload();
  };
  const actionsOf = (invoice: Invoice) => {
    const isOwed = invoice.status === 'sent' || invoice.status === 'overdue';
    return [
      ...(invoice.status === 'draft' ? [{ text: t.common.send, choose: () => void send(invoice) }] : []),
      ...(isOwed ? [{ text: t.finance.markAsPaid, choose: () => setAsked({ invoice, of: 'paid' }) }] : []),
      ...(isOwed || invoice.status === 'draft'
        ? [{ text: t.finance.cancelInvoice, isDangerous: true, choose: () => setAsked({ invoice, of: 'cancel' }) }]
        : []),
    ];
  };
  const columns: readonly Column<Invoice>[] = [
    { title: t.finance.number, show: ({ invoiceNumber }) => invoiceNumber },
    { title: t.common.status, show: ({ status }) => <Badge tone={tones[status]}>{worded(status)}</Badge> },
    {
      title: t.common.contact,
      isWide: true,
      show: ({ contactId }) =>
        contactId === null ? (
          '–'
        ) : (
          <a href={linkTo(`/contacts/${contactId}`)}>{names.get(contactId) ?? `#${contactId}`}</a>
        ),
    },
    { title: t.common.due, isWide: true, show: ({ dueDate }) => dayDate(dueDate) },
    { title: t.finance.total, isNumber: true, show: ({ total, currency }) => money(total, currency) },
    ...(may('finance:write')
      ? [
          {
            title: t.common.actions,
            show: (invoice: Invoice) => {
              const items = actionsOf(invoice);
              return (
                items.length > 0 && (
                  <Menu text={t.common.actions} label={t.finance.actionsFor(invoice.invoiceNumber)} items={items} />
                )
              );
            },
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
      {asked?.of === 'paid' && (
        <Paid invoice={asked.invoice} onDone={invoices.reload} onClose={() => setAsked(undefined)} />
      )}
      {asked?.of === 'cancel' && (
        <Confirm
          title={t.finance.cancelInvoiceInvoiceNumber(asked.invoice.invoiceNumber)}
          action={t.finance.cancelInvoice}
          isDangerous
          onClose={() => setAsked(undefined)}
          onConfirm={async () => {
            await api.post('/panel/invoices/{id}/cancel', { params: { path: { id: asked.invoice.id } }, body: {} });
            invoices.reload();
          }}
        >
          <p>{t.finance.itIsOwedNoMore}</p>
        </Confirm>
      )}
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

function Paid({
  invoice: { id, invoiceNumber, total, currency },
  onDone,
  onClose,
}: DialogProps & { invoice: Invoice }) {
  const pay = async ({ paidOn }: Values) => {
    const isToday = paidOn === localDate(new Date());
    await api.post('/v1/finance/invoices/{id}/paid', {
      params: { path: { id } },
      body: isToday ? {} : { paidAt: instant(paidOn) },
    });
    onDone();
    onClose();
  };
  return (
    <Dialog title={t.finance.markInvoiceAsPaid(invoiceNumber)} onClose={onClose}>
      <Form submit={t.finance.markAsPaid} onSubmit={pay} onCancel={onClose}>
        <p>{filled(t.finance.anIncomeOfIsBooked, { currency: money(total, currency) })}</p>
        <Field
          label={t.finance.paidOn}
          name="paidOn"
          type="date"
          value={localDate(new Date())}
          max={localDate(new Date())}
          required
        />
      </Form>
    </Dialog>
  );
}
