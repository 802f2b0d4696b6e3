import { api } from '../../app/api.ts';
import { t } from '../../app/texts.ts';
import { attempt } from '../../app/toasts.ts';
import { type Deal, type StageKey, stageKey, stageName } from './board.ts';

const setStage = (id: number, stage: StageKey) =>
  api.post('/v1/deals/{id}/stage', { params: { path: { id } }, body: { stage } });

interface Shown {
  /** Shows the deal in a column before it is there. */
  show(to: StageKey): void;
  /** Asks again what there is. */
  reload(): void;
}

/** Moves a deal to another stage than Won, and offers to take it back. */
export async function moveDeal(deal: Deal, to: StageKey, { show, reload }: Shown): Promise<void> {
  const from = stageKey(deal.stage);
  show(to);
  const undo = async () => {
    await setStage(deal.id, from);
    reload();
  };
  const done = await attempt(() => setStage(deal.id, to), {
    said: t.deals.isInNow(deal.title, stageName(to)),
    // Only winning it books it, and that cannot be taken back.
    ...(from !== 'won' && { undo }),
    takeBack: () => show(from),
  });
  if (done) reload();
}
