import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { money } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { attempt } from '../../app/toasts.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { filled } from '../../parts/filled.tsx';
import { Field, Form, type Values } from '../../parts/form.tsx';
import { instant, localDate } from '../../parts/local-time.ts';
import { Menu } from '../../parts/menu.tsx';

type Invoice = Schema<'Invoice'>;

interface InvoiceActionsProps {
  invoice: Invoice;
  /** What the button shows. */
  text: string;
  /** Shows it in a status that the API has yet to confirm. */
  onStatus(status: Invoice['status']): void;
  reload(): void;
}

/** The menu of what can be done with an invoice; nothing where nothing can. */
export function InvoiceActions({ invoice, text, onStatus, reload }: InvoiceActionsProps) {
  const [asked, setAsked] = useState<'cancel' | 'paid'>();
  const { id, status, invoiceNumber } = invoice;
  const close = () => setAsked(undefined);
  const send = async () => {
    onStatus('sent');
    const done = await attempt(() => api.post('/panel/invoices/{id}/send', { params: { path: { id } }, body: {} }), {
      said: t.finance.invoiceCountsAsSent(invoiceNumber),
      takeBack: () => onStatus(status),
    });
    if (done) reload();
  };
  const isOwed = status === 'sent' || status === 'overdue';
  const items = [
    ...(status === 'draft' ? [{ text: t.common.send, choose: () => void send() }] : []),
    ...(isOwed ? [{ text: t.finance.markAsPaid, choose: () => setAsked('paid') }] : []),
    ...(isOwed || status === 'draft'
      ? [{ text: t.finance.cancelInvoice, isDangerous: true, choose: () => setAsked('cancel') }]
      : []),
  ];
  return (
    <>
      {items.length > 0 && <Menu text={text} label={t.finance.actionsFor(invoiceNumber)} items={items} />}
      {asked === 'paid' && <Paid invoice={invoice} onDone={reload} onClose={close} />}
      {asked === 'cancel' && (
        <Confirm
          title={t.finance.cancelInvoiceInvoiceNumber(invoiceNumber)}
          action={t.finance.cancelInvoice}
          isDangerous
          onClose={close}
          onConfirm={async () => {
            await api.post('/panel/invoices/{id}/cancel', { params: { path: { id } }, body: {} });
            reload();
          }}
        >
          <p>{t.finance.itIsOwedNoMore}</p>
        </Confirm>
      )}
    </>
  );
}

interface PaidProps {
  invoice: Invoice;
  onDone(): void;
  onClose(): void;
}

function Paid({ invoice: { id, invoiceNumber, total, currency }, onDone, onClose }: PaidProps) {
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
