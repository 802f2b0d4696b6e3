import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { touching } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { linkTo, place } from '../../app/route.ts';
import { current, may } from '../../app/session.ts';
import { money, worded } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { Badge } from '../../parts/badge.tsx';
import { ContactField } from '../../parts/contact-field.tsx';
import { contactIn } from '../../parts/contact-text.ts';
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
  get panel() {
    return t.words.panel;
  },
  get deal() {
    return t.finance.wonDeal;
  },
  get invoice() {
    return t.finance.paidInvoice;
  },
  get revenue_source() {
    return t.finance.revenueSource;
  },
};

const columns: readonly Column<Transaction>[] = [
  {
    get title() {
      return t.finance.what;
    },
    show: ({ description, category, source, dealId }) => (
      <>
        {description ?? category ?? sources[source]}
        <p class="hint belongs">
          {(description ?? category) !== null && <span>{sources[source]}</span>}
          {description !== null && category !== null && <span>{category}</span>}
          {dealId !== null && (
            <span>
              <a href={linkTo(`/deals/${dealId}`)}>{t.common.deal}</a>
            </span>
          )}
        </p>
      </>
    ),
  },
  {
    get title() {
      return t.common.when;
    },
    isWide: true,
    show: ({ occurredAt }) => <When at={occurredAt} />,
  },
  {
    get title() {
      return t.common.status;
    },
    isWide: true,
    show: ({ status }) => <Badge tone={status === 'realized' ? 'good' : 'warn'}>{worded(status)}</Badge>,
  },
  {
    get title() {
      return t.finance.amount;
    },
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
          <SearchField label={t.common.search} />
          <Choice
            label={t.finance.type}
            name="type"
            all={t.finance.both}
            options={[
              ['income', t.finance.income],
              ['expense', t.finance.expenses],
            ]}
          />
          <Choice
            label={t.common.status}
            name="status"
            all={t.common.everyStatus}
            options={[
              ['realized', t.finance.realized],
              ['pending', t.finance.pending],
            ]}
          />
        </Filters>
        {may('finance:write') && (
          <button type="button" class="primary" data-new onClick={() => setNew(true)}>
            {t.finance.newTransaction}
          </button>
        )}
      </div>
      {filter('dealId') && (
        <p class="hint">
          {t.finance.onlyWhatBelongsToOne} <a href={linkTo('/finance/transactions')}>{t.common.showEverything}</a>
        </p>
      )}
      <Paged
        caption={t.finance.transactions}
        of={transactions}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <Empty title={place.value.query.size > 0 ? t.finance.noTransactionsLikeThat : t.finance.nothingIsBookedYet}>
            <p>{t.finance.wonDealsAndPaidInvoices2}</p>
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
    <Dialog title={t.finance.newTransaction} onClose={onClose}>
      <Form submit={t.finance.bookIt} onSubmit={create} onCancel={onClose}>
        <div class="two">
          <Field
            label={t.finance.type}
            name="type"
            options={[
              ['expense', t.finance.expense],
              ['income', t.finance.income],
            ]}
          />
          <Field
            label={t.common.status}
            name="status"
            options={[
              ['realized', t.finance.realized],
              ['pending', t.finance.pending],
            ]}
          />
          <Field label={t.finance.amount} name="amount" type="number" min={0.01} step={0.01} required />
          <Field
            label={t.common.currency}
            name="currency"
            value={current.value?.workspace.currency}
            required
            maxLength={3}
            hint={t.common.threeLettersLikeEur}
          />
          <Field label={t.finance.date} name="occurredAt" type="date" value={localDate(new Date())} />
          <Field label={t.finance.category} name="category" maxLength={64} placeholder={t.finance.softwareTravel} />
        </div>
        <Field label={t.common.description} name="description" maxLength={500} />
        <ContactField />
      </Form>
    </Dialog>
  );
}
