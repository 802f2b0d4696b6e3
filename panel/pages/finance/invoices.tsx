import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { touching } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { useContactNames } from '../../app/names.ts';
import { linkTo, place } from '../../app/route.ts';
import { current, may } from '../../app/session.ts';
import { money, shortDate, worded } from '../../app/show.ts';
import { attempt } from '../../app/toasts.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { ContactField, contactIn } from '../../parts/contact-field.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Choice, Filters, filter } from '../../parts/filters.tsx';
import { Field, Form, type Values } from '../../parts/form.tsx';
import { dayStart, instant, localDate } from '../../parts/local-time.ts';
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
      said: `Invoice ${invoiceNumber} counts as sent.`,
      takeBack: () => show(id, status),
    });
    if (done) invoices.reload();
  };
  const actionsOf = (invoice: Invoice) => {
    const isOwed = invoice.status === 'sent' || invoice.status === 'overdue';
    return [
      ...(invoice.status === 'draft' ? [{ text: 'Send', choose: () => void send(invoice) }] : []),
      ...(isOwed ? [{ text: 'Mark as paid', choose: () => setAsked({ invoice, of: 'paid' }) }] : []),
      ...(isOwed || invoice.status === 'draft'
        ? [{ text: 'Cancel invoice', isDangerous: true, choose: () => setAsked({ invoice, of: 'cancel' }) }]
        : []),
    ];
  };
  const columns: readonly Column<Invoice>[] = [
    { title: 'Number', show: ({ invoiceNumber }) => invoiceNumber },
    { title: 'Status', show: ({ status }) => <Badge tone={tones[status]}>{worded(status)}</Badge> },
    {
      title: 'Contact',
      isWide: true,
      show: ({ contactId }) =>
        contactId === null ? (
          '–'
        ) : (
          <a href={linkTo(`/contacts/${contactId}`)}>{names.get(contactId) ?? `#${contactId}`}</a>
        ),
    },
    { title: 'Due', isWide: true, show: ({ dueDate }) => shortDate(dueDate) },
    { title: 'Total', isNumber: true, show: ({ total, currency }) => money(total, currency) },
    ...(may('finance:write')
      ? [
          {
            title: 'Actions',
            show: (invoice: Invoice) => {
              const items = actionsOf(invoice);
              return (
                items.length > 0 && <Menu text="Actions" label={`Actions for ${invoice.invoiceNumber}`} items={items} />
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
            label="Status"
            name="status"
            all="Every status"
            options={statuses.map((status) => [status, worded(status)])}
          />
        </Filters>
        {may('finance:write') && (
          <button type="button" class="primary" data-new onClick={() => setNew(true)}>
            New invoice
          </button>
        )}
      </div>
      <Paged
        caption="Invoices"
        of={invoices}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <Empty title={filter('status') ? 'No such invoices' : 'No invoices yet'}>
            <p>An invoice begins as a draft. When it is paid, an income is booked.</p>
          </Empty>
        }
      />
      {isNew && <NewInvoice onDone={invoices.reload} onClose={() => setNew(false)} />}
      {asked?.of === 'paid' && (
        <Paid invoice={asked.invoice} onDone={invoices.reload} onClose={() => setAsked(undefined)} />
      )}
      {asked?.of === 'cancel' && (
        <Confirm
          title={`Cancel invoice ${asked.invoice.invoiceNumber}?`}
          action="Cancel invoice"
          isDangerous
          onClose={() => setAsked(undefined)}
          onConfirm={async () => {
            await api.post('/panel/invoices/{id}/cancel', { params: { path: { id: asked.invoice.id } }, body: {} });
            invoices.reload();
          }}
        >
          <p>It is owed no more. A canceled invoice stays so.</p>
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
        issueDate: instant(issueDate) ?? '',
        dueDate: instant(dueDate) ?? '',
        status: 'draft',
      },
    });
    onDone();
    onClose();
  };
  return (
    <Dialog title="New invoice" onClose={onClose}>
      <Form submit="Create draft" onSubmit={create} onCancel={onClose}>
        <ContactField required />
        <Field label="Invoice number" name="invoiceNumber" required maxLength={64} />
        <div class="two">
          <Field label="Total" name="total" type="number" min={0.01} step={0.01} required />
          <Field
            label="Currency"
            name="currency"
            value={current.value?.workspace.currency}
            required
            maxLength={3}
            hint="Three letters, like EUR"
          />
          <Field label="Issued" name="issueDate" type="date" value={localDate(new Date())} required />
          <Field label="Due" name="dueDate" type="date" value={localDate(dayStart(14))} required />
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
    <Dialog title={`Mark invoice ${invoiceNumber} as paid`} onClose={onClose}>
      <Form submit="Mark as paid" onSubmit={pay} onCancel={onClose}>
        <p>An income of {money(total, currency)} is booked.</p>
        <Field
          label="Paid on"
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
