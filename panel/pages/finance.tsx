import { place } from '../app/route.ts';
import { t } from '../app/texts.ts';
import { Head } from '../parts/head.tsx';
import type { PageProps } from '../parts/page.ts';
import { Tabs } from '../parts/tabs.tsx';
import { InvoiceDetail } from './finance/invoice.tsx';
import { Invoices } from './finance/invoices.tsx';
import { RevenueSources } from './finance/revenue-sources.tsx';
import { Summary } from './finance/summary.tsx';
import { Transactions } from './finance/transactions.tsx';

const sides = () =>
  ({
    '/finance': [t.finance.summary, Summary],
    '/finance/invoices': [t.finance.invoices, Invoices],
    '/finance/transactions': [t.finance.transactions, Transactions],
    '/finance/sources': [t.finance.revenueSources, RevenueSources],
  }) as const;

export default function Finance({ variables: { id } }: PageProps) {
  if (id !== undefined) return <InvoiceDetail key={id} id={Number(id)} />;
  const all = sides();
  const [, Side] = all[place.value.path as keyof typeof all] ?? all['/finance'];
  return (
    <>
      <Head title={t.common.finance} />
      <Tabs
        label={t.common.finance}
        tabs={Object.entries(all).map(([path, [title]]) => [path, title])}
        open={place.value.path}
      />
      <Side />
    </>
  );
}
