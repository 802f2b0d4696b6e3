import { useEffect } from 'preact/hooks';
import { place } from '../app/route.ts';
import { t } from '../app/texts.ts';
import { attempt, dismiss, dismissErrors, type Toast, toasts } from '../app/toasts.ts';
import { Explained } from '../parts/failure.tsx';
import { Icon } from '../parts/icon.tsx';

/** What was done and what went wrong, in a corner; read out by screen readers. */
export function Toasts() {
  const { path } = place.value;
  useEffect(dismissErrors, [path]);
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map((toast) => (
        <One key={toast.id} {...toast} />
      ))}
    </div>
  );
}

function One({ id, text, error, undo }: Toast) {
  const takeBack = async () => {
    dismiss(id);
    await attempt(async () => undo?.(), { said: t.shell.undone });
  };
  return (
    <div class={error === undefined ? 'toast' : 'toast failed'}>
      <div>{error === undefined ? <p>{text}</p> : <Explained error={error} />}</div>
      {undo && (
        <button type="button" class="small" onClick={takeBack}>
          {t.shell.undo}
        </button>
      )}
      <button type="button" class="quiet small" aria-label={t.shell.dismiss} onClick={() => dismiss(id)}>
        <Icon name="close" />
      </button>
    </div>
  );
}
