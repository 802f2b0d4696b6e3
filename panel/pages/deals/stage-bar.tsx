import { may } from '../../app/session.ts';
import { worded } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { type Deal, type StageKey, stageKey } from './board.ts';

const steps = ['lead', 'qualified', 'proposal', 'negotiation'] as const satisfies readonly StageKey[];

/** How far a deal has come; a click moves it. */
export function StageBar({ deal, onMove }: { deal: Deal; onMove(to: StageKey): void }) {
  const here = stageKey(deal.stage);
  const end = here === 'lost' ? 'lost' : 'won';
  const all: readonly StageKey[] = [...steps, end];
  const at = all.indexOf(here);
  return (
    <ol class="stage-bar" aria-label={t.common.stage}>
      {all.map((stage, step) => (
        <li key={stage} class={step < at ? 'past' : step === at ? `here ${stage}` : undefined}>
          <button
            type="button"
            class="quiet"
            disabled={!may('deals:write') || step === at}
            aria-current={step === at ? 'step' : undefined}
            onClick={() => onMove(stage)}
          >
            {worded(stage)}
          </button>
        </li>
      ))}
    </ol>
  );
}
