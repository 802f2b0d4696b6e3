import type { ComponentType } from 'preact';
import { place } from '../app/route.ts';
import { sidesOf } from '../app/sides.ts';
import { t } from '../app/texts.ts';
import { Head } from '../parts/head.tsx';
import type { PageProps } from '../parts/page.ts';
import { Tabs } from '../parts/tabs.tsx';
import { InvoiceDetail } from './finance/invoice.tsx';
import { Invoices } from './finance/invoices.tsx';
import { RevenueSources } from './finance/revenue-sources.tsx';
import { Summary } from './finance/summary.tsx';
import { Transactions } from './finance/transactions.tsx';

const views: Readonly<Record<string, ComponentType>> = {
  '/finance/invoices': Invoices,
  '/finance/transactions': Transactions,
  '/finance/sources': RevenueSources,
};

export default function Finance({ variables: { id } }: PageProps) {
  if (id !== undefined) return <InvoiceDetail key={id} id={Number(id)} />;
  const { path } = place.value;
  const View = views[path] ?? Summary;
  return (
    <>
      <Head title={t.common.finance} />
      <Tabs label={t.common.finance} tabs={sidesOf('/finance')} open={path} />
      <View />
    </>
  );
}
