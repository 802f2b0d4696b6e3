import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { touching } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { linkTo, place } from '../../app/route.ts';
import { current, may } from '../../app/session.ts';
import { money, worded } from '../../app/show.ts';
import { Badge } from '../../parts/badge.tsx';
import { ContactField, contactIn } from '../../parts/contact-field.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Choice, Filters, filter, SearchField } from '../../parts/filters.tsx';
import { Field, Form, type Values } from '../../parts/form.tsx';
import { instant, localDate } from '../../parts/local-time.ts';
import { type Column, cursor, Paged } from '../../parts/paged.tsx';
import { When } from '../../parts/when.tsx';

type Transaction = Schema<'Transaction'>;

const sources: Record<Transaction['source'], string> = {
  api: 'API',
  panel: 'Panel',
  deal: 'Won deal',
  invoice: 'Paid invoice',
  revenue_source: 'Revenue source',
};

const columns: readonly Column<Transaction>[] = [
  {
    title: 'What',
    show: ({ description, category, source, dealId }) => (
      <>
        {description ?? category ?? sources[source]}
        <p class="hint belongs">
          {(description ?? category) !== null && <span>{sources[source]}</span>}
          {description !== null && category !== null && <span>{category}</span>}
          {dealId !== null && (
            <span>
              <a href={linkTo(`/deals/${dealId}`)}>Deal</a>
            </span>
          )}
        </p>
      </>
    ),
  },
  { title: 'When', isWide: true, show: ({ occurredAt }) => <When at={occurredAt} /> },
  {
    title: 'Status',
    isWide: true,
    show: ({ status }) => <Badge tone={status === 'realized' ? 'good' : 'warn'}>{worded(status)}</Badge>,
  },
  {
    title: 'Amount',
    isNumber: true,
    show: ({ type, amount, currency }) => (
      <span class={type === 'income' ? 'income' : undefined}>
        {type === 'income' ? '+' : '−'}
        {money(amount, currency)}
      </span>
    ),
  },
];

export function Transactions() {
  const transactions = useLoaded(
    (signal) =>
      api.get('/v1/finance/transactions', {
        signal,
        params: {
          query: {
            limit: 50,
            after: cursor(),
            q: filter('q'),
            type: filter('type') as Transaction['type'] | undefined,
            status: filter('status') as Transaction['status'] | undefined,
            dealId: Number(filter('dealId')) || undefined,
          },
        },
      }),
    [String(place.value.query)],
    touching('transaction'),
  );
  const [isNew, setNew] = useState(false);
  return (
    <>
      <div class="row">
        <Filters>
          <SearchField label="Search" />
          <Choice
            label="Type"
            name="type"
            all="Both"
            options={[
              ['income', 'Income'],
              ['expense', 'Expenses'],
            ]}
          />
          <Choice
            label="Status"
            name="status"
            all="Every status"
            options={[
              ['realized', 'Realized'],
              ['pending', 'Pending'],
            ]}
          />
        </Filters>
        {may('finance:write') && (
          <button type="button" class="primary" data-new onClick={() => setNew(true)}>
            New transaction
          </button>
        )}
      </div>
      {filter('dealId') && (
        <p class="hint">
          Only what belongs to one deal is shown. <a href={linkTo('/finance/transactions')}>Show everything</a>
        </p>
      )}
      <Paged
        caption="Transactions"
        of={transactions}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <Empty title={place.value.query.size > 0 ? 'No transactions like that' : 'Nothing is booked yet'}>
            <p>Won deals and paid invoices are booked by themselves; book here what else came in or went out.</p>
          </Empty>
        }
      />
      {isNew && <NewTransaction onDone={transactions.reload} onClose={() => setNew(false)} />}
    </>
  );
}

function NewTransaction({ onDone, onClose }: { onDone(): void; onClose(): void }) {
  const create = async (values: Values) => {
    const { type, status, amount, currency = '', category, description, occurredAt, contactId } = values;
    await api.post('/v1/finance/transactions', {
      body: {
        type: type as Transaction['type'],
        status: status as Transaction['status'],
        amount: Number(amount),
        currency: currency.toUpperCase(),
        category: category ?? null,
        description: description ?? null,
        contactId: contactIn(contactId),
        ...(occurredAt !== localDate(new Date()) && { occurredAt: instant(occurredAt) }),
      },
    });
    onDone();
    onClose();
  };
  return (
    <Dialog title="New transaction" onClose={onClose}>
      <Form submit="Book it" onSubmit={create} onCancel={onClose}>
        <div class="two">
          <Field
            label="Type"
            name="type"
            options={[
              ['expense', 'Expense'],
              ['income', 'Income'],
            ]}
          />
          <Field
            label="Status"
            name="status"
            options={[
              ['realized', 'Realized'],
              ['pending', 'Pending'],
            ]}
          />
          <Field label="Amount" name="amount" type="number" min={0.01} step={0.01} required />
          <Field
            label="Currency"
            name="currency"
            value={current.value?.workspace.currency}
            required
            maxLength={3}
            hint="Three letters, like EUR"
          />
          <Field label="Date" name="occurredAt" type="date" value={localDate(new Date())} />
          <Field label="Category" name="category" maxLength={64} placeholder="software, travel …" />
        </div>
        <Field label="Description" name="description" maxLength={500} />
        <ContactField />
      </Form>
    </Dialog>
  );
}
