import { t } from '../../app/texts.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Field, Form } from '../../parts/form.tsx';
import type { Deal } from './board.ts';

interface LoseProps {
  deal: Pick<Deal, 'title'>;
  onLose(reason: string | undefined): void;
  onClose(): void;
}

/** Asks why a deal is lost, before it goes to the lost column. */
export const Lose = ({ deal, onLose, onClose }: LoseProps) => (
  <Dialog title={t.deals.lose(deal.title)} onClose={onClose}>
    <Form
      submit={t.deals.markAsLost}
      onCancel={onClose}
      onSubmit={async ({ lostReason }) => {
        onClose();
        onLose(lostReason);
      }}
    >
      <Field label={t.deals.lostReason} name="lostReason" rows={3} maxLength={500} hint={t.deals.optional} />
    </Form>
  </Dialog>
);
