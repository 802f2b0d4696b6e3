import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { everyPage } from '../../app/every-page.ts';
import { touching } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { written } from '../../app/locale.ts';
import { type Names, useDealTitles } from '../../app/names.ts';
import { linkTo, place, withQuery } from '../../app/route.ts';
import { current, may } from '../../app/session.ts';
import { money, worded } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { Badge } from '../../parts/badge.tsx';
import { ContactField } from '../../parts/contact-field.tsx';
import { contactIn } from '../../parts/contact-text.ts';
import { Day } from '../../parts/day.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Choice, Filters, filter, SearchField } from '../../parts/filters.tsx';
import { Field, Form, type Values } from '../../parts/form.tsx';
import { dayInstant, localDate } from '../../parts/local-time.ts';
import { type Column, Paged } from '../../parts/paged.tsx';
import { UserText } from '../../parts/user-text.tsx';

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

const columnsWith = (titles: Names): readonly Column<Transaction>[] => [
  {
    get title() {
      return t.finance.date;
    },
    show: ({ occurredAt }) => <Day at={occurredAt} />,
  },
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
              <a href={linkTo(`/deals/${dealId}`)}>
                <UserText text={titles.get(dealId) ?? `${t.common.deal} #${dealId}`} isName />
              </a>
            </span>
          )}
        </p>
      </>
    ),
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

/** A month of UTC, as bookings are summed. */
interface Month {
  /** `2026-11`, as it stands in the address. */
  key: string;
  from: Date;
  /** The last instant. */
  to: Date;
}

function monthOf(key: string, shift = 0): Month {
  const [year = 0, month = 0] = key.split('-').map(Number);
  const from = new Date(Date.UTC(year, month - 1 + shift));
  const to = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1) - 1);
  return { key: from.toISOString().slice(0, 7), from, to };
}

/** The month that is shown; undefined where a search or a deal looks at all of them. */
function shownMonth(): Month | undefined {
  if (filter('q') !== undefined || filter('dealId') !== undefined) return undefined;
  const chosen = filter('month') ?? '';
  return monthOf(/^\d{4}-(0[1-9]|1[0-2])$/.test(chosen) ? chosen : new Date().toISOString().slice(0, 7));
}

const maxPages = 10;

/** Reads the transactions by their dates, the newest first, and the totals of the month. */
async function load(signal: AbortSignal) {
  const month = shownMonth();
  const query = {
    limit: 100,
    q: filter('q'),
    type: filter('type') as Transaction['type'] | undefined,
    status: filter('status') as Transaction['status'] | undefined,
    dealId: Number(filter('dealId')) || undefined,
    from: month?.from.toISOString(),
    to: month?.to.toISOString(),
  };
  const [{ items, hasMore }, summary] = await Promise.all([
    everyPage(
      (after: number | undefined) =>
        api.get('/v1/finance/transactions', { signal, params: { query: { ...query, after } } }),
      maxPages,
    ),
    month &&
      api.get('/v1/finance/summary', {
        signal,
        params: { query: { from: month.from.toISOString(), to: month.to.toISOString() } },
      }),
  ]);
  items.sort((one, other) => other.occurredAt.localeCompare(one.occurredAt) || other.id - one.id);
  return { items, isCut: hasMore, hasMore: false, nextCursor: null, totals: summary?.totals };
}

const nameOfMonth = ({ from }: Month) => written(from, { month: 'long', year: 'numeric', timeZone: 'UTC' });

const Months = ({ shown }: { shown: Month }) => (
  <nav class="months" aria-label={t.finance.month}>
    {[-1, 0, 1].map((shift) => {
      const month = monthOf(shown.key, shift);
      return (
        <a key={month.key} href={withQuery({ month: month.key })} aria-current={shift === 0 ? 'date' : undefined}>
          {nameOfMonth(month)}
        </a>
      );
    })}
  </nav>
);

const Totals = ({ of }: { of: Schema<'FinanceSummary'>['totals'] }) => (
  <dl class="card facts">
    {of.map(({ currency, income, expense, net }) => (
      <div key={currency}>
        <dt>{t.finance.netIn(currency)}</dt>
        <dd>{money(net, currency)}</dd>
        <dd class="hint">
          +{money(income, currency)} −{money(expense, currency)}
        </dd>
      </div>
    ))}
  </dl>
);

export function Transactions() {
  const transactions = useLoaded(load, [String(place.value.query)], touching('transaction'));
  const titles = useDealTitles(transactions);
  const { data } = transactions;
  const month = shownMonth();
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
      {month && <Months shown={month} />}
      {data?.totals && data.totals.length > 0 && <Totals of={data.totals} />}
      <Paged
        caption={t.finance.transactions}
        of={transactions}
        columns={columnsWith(titles)}
        keyOf={({ id }) => id}
        empty={
          <Empty title={month ? t.finance.nothingIsBookedIn(nameOfMonth(month)) : t.finance.noTransactionsLikeThat}>
            <p>{t.finance.wonDealsAndPaidInvoices2}</p>
          </Empty>
        }
      />
      {data?.isCut && <p class="hint">{t.finance.narrowTheSearch}</p>}
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
        ...(occurredAt !== localDate(new Date()) && { occurredAt: dayInstant(occurredAt) }),
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
