import { t } from '../app/texts.ts';
import { Dialog } from '../parts/dialog.tsx';
import { visiblePages } from './pages.ts';
import { keys } from './shortcuts.ts';

/** The keyboard shortcuts. */
export const Help = ({ onClose }: { onClose(): void }) => (
  <Dialog title={t.shell.keyboardShortcuts} onClose={onClose}>
    <dl class="keys">
      {keys().map(([key, does]) => (
        <div key={key}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
      {visiblePages.value.map(
        ({ shortcut, title }) =>
          shortcut && (
            <div key={title}>
              <dt>
                <kbd>g</kbd> <kbd>{shortcut}</kbd>
              </dt>
              <dd>{title}</dd>
            </div>
          ),
      )}
      <div>
        <dt>
          <kbd>Esc</kbd>
        </dt>
        <dd>{t.shell.closeADialogOrMenu}</dd>
      </div>
    </dl>
  </Dialog>
);
