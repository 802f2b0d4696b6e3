import { api } from '../../app/api.ts';
import { t } from '../../app/texts.ts';
import { attempt } from '../../app/toasts.ts';
import { type Deal, type Place, placeOf } from './board.ts';

const setColumn = (id: number, to: Place, lostReason: string | null | undefined) =>
  api.post('/v1/deals/{id}/column', {
    params: { path: { id } },
    body: { columnId: to.id, ...(to.stage === 'lost' && lostReason && { lostReason }) },
  });

interface Shown {
  lostReason?: string | undefined;
  /** Shows the deal in a column before it is there. */
  show(to: Place): void;
  /** Asks again what there is. */
  reload(): void;
}

/** Moves a deal with `include=pipeline` to a column that is not won, and offers to take it back. */
export async function moveDeal(deal: Deal, to: Place, { lostReason, show, reload }: Shown): Promise<void> {
  const from = placeOf(deal);
  show(to);
  const undo = async () => {
    await setColumn(deal.id, from, deal.pipeline?.lostReason);
    reload();
  };
  const done = await attempt(() => setColumn(deal.id, to, lostReason), {
    said: t.deals.isInNow(deal.title, to.name),
    // Only winning it books it, and that cannot be taken back.
    ...(from.stage !== 'won' && { undo }),
    takeBack: () => show(from),
  });
  if (done) reload();
}
