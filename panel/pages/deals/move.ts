import { api } from '../../app/api.ts';
import { t } from '../../app/texts.ts';
import { attempt } from '../../app/toasts.ts';
import { type Deal, type Place, placeOf } from './board.ts';

interface Shown {
  lostReason?: string | undefined;
  /** Shows the deal in a column before it is there. */
  show(to: Place): void;
  /** Shows the deal as the API answers a move or its undo. */
  onMoved(deal: Deal): void;
}

/** Moves a deal with `include=pipeline` to a column that is not won, and offers to take it back. */
export async function moveDeal(deal: Deal, to: Place, { lostReason, show, onMoved }: Shown): Promise<void> {
  const from = placeOf(deal);
  const set = async (column: Place, reason: string | null | undefined) => {
    const params = { path: { id: deal.id }, query: { include: 'owner,pipeline' } };
    const body = { columnId: column.id, ...(column.stage === 'lost' && reason && { lostReason: reason }) };
    onMoved(await api.post('/v1/deals/{id}/column', { params, body }));
  };
  show(to);
  await attempt(() => set(to, lostReason), {
    said: t.deals.isInNow(deal.title, to.name),
    // Only winning it books it, and that cannot be taken back.
    ...(from.stage !== 'won' && { undo: () => set(from, deal.pipeline?.lostReason) }),
    takeBack: () => show(from),
  });
}
