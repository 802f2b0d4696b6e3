import { t } from '../app/texts.ts';
import { Code } from './code.tsx';
import { Dialog } from './dialog.tsx';

interface SecretProps {
  title: string;
  label: string;
  text: string;
  onClose(): void;
}

/** Shows a secret that is never shown again. */
export const Secret = ({ title, label, text, onClose }: SecretProps) => (
  <Dialog title={title} onClose={onClose} loses={t.parts.secretIsLost}>
    <div class="stack">
      <p class="note">{t.parts.copyItNowItIs}</p>
      <Code label={label} text={text} />
      <div class="actions end">
        <button type="button" class="primary" onClick={onClose}>
          {t.parts.iHaveCopiedIt}
        </button>
      </div>
    </div>
  </Dialog>
);
