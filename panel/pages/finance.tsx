import { place } from '../app/route.ts';
import { Head } from '../parts/head.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { Invoices } from './finance/invoices.tsx';
import { RevenueSources } from './finance/revenue-sources.tsx';
import { Summary } from './finance/summary.tsx';
import { Transactions } from './finance/transactions.tsx';

const sides = {
  '/finance': ['Summary', Summary],
  '/finance/invoices': ['Invoices', Invoices],
  '/finance/transactions': ['Transactions', Transactions],
  '/finance/sources': ['Revenue sources', RevenueSources],
} as const;

export default function Finance() {
  const [, Side] = sides[place.value.path as keyof typeof sides] ?? sides['/finance'];
  return (
    <>
      <Head title="Finance" />
      <Tabs
        label="Finance"
        tabs={Object.entries(sides).map(([path, [title]]) => [path, title])}
        open={place.value.path}
      />
      <Side />
    </>
  );
}
