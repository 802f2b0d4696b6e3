import { api } from '../../app/api.ts';
import { touching } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { useContactNames } from '../../app/names.ts';
import { linkTo } from '../../app/route.ts';
import { may } from '../../app/session.ts';
import { money, worded } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { useVisited } from '../../app/visited.ts';
import { Back } from '../../parts/back.tsx';
import { Badge } from '../../parts/badge.tsx';
import { Day } from '../../parts/day.tsx';
import { Head } from '../../parts/head.tsx';
import { Pending } from '../../parts/pending.tsx';
import { UserText } from '../../parts/user-text.tsx';
import { InvoiceActions } from './invoice-actions.tsx';
import { tones } from './invoices.tsx';

/** One invoice. */
export function InvoiceDetail({ id }: { id: number }) {
  const invoice = useLoaded(
    (signal) => api.get('/v1/finance/invoices/{id}', { signal, params: { path: { id } } }),
    [id],
    touching('invoice'),
  );
  const { data, error, reload } = invoice;
  useVisited('invoice', data?.invoiceNumber);
  const names = useContactNames({ data: data && { items: [data] } });
  const back = <Back to={linkTo('/finance/invoices')}>{t.finance.invoices}</Back>;
  if (!data)
    return (
      <>
        <Head above={back} title={t.finance.invoice} />
        <Pending data={data} error={error} reload={reload} lines={5} />
      </>
    );
  return (
    <>
      <Head above={back} title={data.invoiceNumber}>
        <Badge tone={tones[data.status]}>{worded(data.status)}</Badge>
        {may('finance:write') && (
          <InvoiceActions
            invoice={data}
            text={t.common.actions}
            onStatus={(status) => invoice.change((before) => ({ ...before, status }))}
            reload={reload}
          />
        )}
      </Head>
      <dl class="card facts">
        <div>
          <dt>{t.finance.total}</dt>
          <dd>{money(data.total, data.currency)}</dd>
        </div>
        <div>
          <dt>{t.common.contact}</dt>
          <dd>
            {data.contactId === null ? (
              '–'
            ) : (
              <a href={linkTo(`/contacts/${data.contactId}`)}>
                <UserText text={names.get(data.contactId) ?? `#${data.contactId}`} isName />
              </a>
            )}
          </dd>
        </div>
        <div>
          <dt>{t.finance.issued}</dt>
          <dd>
            <Day at={data.issueDate} />
          </dd>
        </div>
        <div>
          <dt>{t.common.due}</dt>
          <dd>
            <Day at={data.dueDate} />
          </dd>
        </div>
        <div>
          <dt>{t.finance.paidOn}</dt>
          <dd>{data.paidAt ? <Day at={data.paidAt} /> : '–'}</dd>
        </div>
      </dl>
    </>
  );
}
