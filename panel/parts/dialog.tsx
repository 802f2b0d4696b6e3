import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { t } from '../app/texts.ts';
import { Icon } from './icon.tsx';

interface DialogProps {
  title: string;
  onClose(): void;
  isWide?: boolean;
  children: ComponentChildren;
}

/** A modal dialog: it is open as long as it is rendered, its first field has the focus, which goes back to where it was. */
export function Dialog({ title, onClose, isWide = false, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const dialog = element.current;
    const before = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  const hasField = useRef(false);
  useEffect(() => {
    // Not on the first thing that can have it, which closes the dialog; a form may come later.
    const field = element.current?.querySelector<HTMLElement>('form :is(input, select, textarea)');
    if (!field || hasField.current) return;
    hasField.current = true;
    field.focus();
  });
  return (
    <dialog ref={element} class={isWide ? 'wide' : undefined} aria-labelledby={heading} onClose={onClose}>
      <header>
        <h2 id={heading}>{title}</h2>
        <button type="button" class="quiet" aria-label={t.parts.close} onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {children}
    </dialog>
  );
}
