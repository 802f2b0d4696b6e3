import * as v from 'valibot';
import { secondMs, shifted } from '#lib/core/clock.ts';
import { toCents } from '#lib/core/money.ts';
import {
  choice,
  count,
  currency,
  id,
  idInput,
  line,
  listOf,
  money,
  nullableTimeInput,
  paging,
  queryInteger,
  queryTime,
  storedChoice,
  time,
  timeInput,
} from '#lib/core/schema.ts';
import { tenantKey } from '#lib/core/tenant.ts';
import { entity } from '#lib/table/entity.ts';

export const Outstanding = v.pipe(
  v.object({ currency: v.string(), count: count(), total: v.number() }),
  v.title('Outstanding'),
);

export const invoiceStatuses = ['draft', 'sent', 'overdue', 'paid', 'canceled'] as const;

const invoiceNumber = () => line(64);

/** Base document, "Invoice"; `paidAt` is null unless paid. */
export const Invoice = v.pipe(
  v.object({
    id: id(),
    invoiceNumber: v.string(),
    status: storedChoice(invoiceStatuses),
    currency: v.string(),
    total: v.number(),
    contactId: v.nullable(id()),
    issueDate: time(),
    dueDate: time(),
    paidAt: v.nullable(time()),
  }),
  v.title('Invoice'),
);
export type Invoice = v.InferOutput<typeof Invoice>;

export const InvoiceList = v.pipe(
  v.object({ ...listOf(Invoice).entries, outstanding: v.array(Outstanding) }),
  v.title('InvoiceList'),
);

export const InvoiceQuery = v.object({
  ...paging,
  status: v.optional(choice(invoiceStatuses)),
  contactId: v.optional(queryInteger()),
  currency: v.optional(currency()),
  dueBefore: v.optional(queryTime()),
});

const dateInput = () => v.pipe(timeInput(), v.examples(['2026-12-01']));

/** Fields that the panel sets. */
export const CreateInvoice = v.pipe(
  v.object({
    contactId: idInput(),
    invoiceNumber: invoiceNumber(),
    status: v.optional(choice(['draft', 'sent']), 'draft'),
    currency: currency(),
    total: money(0.01),
    issueDate: dateInput(),
    dueDate: dateInput(),
  }),
  v.title('CreateInvoice'),
);

export const PayInvoice = v.pipe(v.object({ paidAt: v.optional(nullableTimeInput()) }), v.title('PayInvoice'));

/** The timer of a sent invoice is for when it becomes overdue. */
export const isOwed = ({ status }: Pick<v.InferOutput<typeof Invoice>, 'status'>) =>
  status === 'sent' || status === 'overdue';

/** An invoice. */
export const Invoices = entity({
  name: 'invoice',
  schema: Invoice,
  references: [{ to: 'contact', field: 'contactId' }],
  indexes: {
    status: ({ status }) => status,
    contact: ({ contactId }) => contactId,
    currency: ({ currency }) => currency,
  },
  counters: {
    /** Index of invoices that are owed, read together with pending transactions. */
    outstanding: {
      of: (invoice) =>
        isOwed(invoice) && {
          name: `invoice/${invoice.currency}`,
          add: { count: 1, cents: toCents(invoice.total, invoice.currency) },
        },
    },
  },
  timer: ({ id, status, dueDate }, tenant) =>
    status === 'sent'
      ? { at: shifted(dueDate, secondMs), queue: 'invoices', message: { invoiceId: id }, group: tenantKey(tenant) }
      : null,
});
