import { api } from '../../app/api.ts';
import { useLoaded } from '../../app/load.ts';
import { linkTo } from '../../app/route.ts';
import { may } from '../../app/session.ts';
import { exactTime, money } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { filled } from '../../parts/filled.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import type { Deal } from './board.ts';

interface WinProps {
  deal: Deal;
  onWon(won: Deal): void;
  onClose(): void;
}

/** Asks, because a win is booked and stays so. */
export const Win = ({ deal, onWon, onClose }: WinProps) => (
  <Confirm
    title={t.deals.win(deal.title)}
    action={t.deals.markAsWon}
    onClose={onClose}
    onConfirm={async () => {
      onWon(await api.post('/panel/deals/{id}/win', { params: { path: { id: deal.id } }, body: {} }));
    }}
  >
    <p>{deal.value > 0 ? t.deals.anIncomeOfIsBooked(money(deal.value, deal.currency)) : t.deals.theDealHasNoValue}</p>
  </Confirm>
);

/** What was booked when the deal was won. */
export function Booking({ deal }: { deal: Deal }) {
  const booked = useLoaded(
    async (signal) => {
      if (!may('finance:read')) return undefined;
      const query = { dealId: deal.id, limit: 10 };
      const { items } = await api.get('/v1/finance/transactions', { signal, params: { query } });
      return items.find(({ source }) => source === 'deal');
    },
    [deal.id, deal.stage],
  );
  if (booked.isLoading) return <Skeleton lines={1} />;
  if (!booked.data)
    return (
      <p class="hint">{may('finance:read') || deal.value === 0 ? t.deals.nothingWasBooked : t.deals.theWinWasBooked}</p>
    );
  const { amount, currency, occurredAt } = booked.data;
  return (
    <p>
      {filled(t.deals.bookedAsIncome, {
        strong: <strong>{money(amount, currency)}</strong>,
        occurredAt: exactTime(occurredAt),
      })}{' '}
      <a href={linkTo('/finance/transactions', { dealId: deal.id })}>{t.deals.seeTheBooking}</a>
    </p>
  );
}

/** Says it and shows the booking. */
export const Won = ({ deal, onClose }: { deal: Deal; onClose(): void }) => (
  <Dialog title={t.deals.isWon(deal.title)} onClose={onClose}>
    <div class="stack">
      <Booking deal={deal} />
      <div class="actions end">
        <a class="button" href={linkTo(`/deals/${deal.id}`)} onClick={onClose}>
          {t.deals.openTheDeal}
        </a>
        <button type="button" class="primary" onClick={onClose}>
          {t.common.done}
        </button>
      </div>
    </div>
  </Dialog>
);
