import type { DraftButton } from '../../app/drafts.ts';
import { t } from '../../app/texts.ts';
import { Icon } from '../../parts/icon.tsx';
import { userText } from '../../parts/user-text.tsx';

interface ButtonsProps {
  of: readonly DraftButton[];
  change(to: readonly DraftButton[]): void;
}

/** The buttons below a message, one a row: an address is opened, any other word comes back when one is pressed. */
export const Buttons = ({ of, change }: ButtonsProps) => (
  <>
    {of.map((button, at) => {
      const set = (part: Partial<DraftButton>) => change(of.with(at, { ...button, ...part }));
      const number = at + 1;
      return (
        <div key={at} class="button-row">
          <input
            required
            maxLength={64}
            {...userText}
            aria-label={t.inbox.buttonText(number)}
            placeholder={t.inbox.text}
            value={button.text}
            onInput={({ currentTarget }) => set({ text: currentTarget.value })}
          />
          <input
            required
            maxLength={/^\w+:\/\//.test(button.target) ? 2048 : 48}
            aria-label={t.inbox.buttonTarget(number)}
            placeholder={t.inbox.addressOrWord}
            value={button.target}
            onInput={({ currentTarget }) => set({ target: currentTarget.value })}
          />
          <button
            type="button"
            class="quiet"
            aria-label={t.inbox.withoutButton(number)}
            onClick={() => change(of.toSpliced(at, 1))}
          >
            <Icon name="close" />
          </button>
        </div>
      );
    })}
  </>
);

/** As many rows a message takes. */
export const maxButtons = 10;
