import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useId, useRef, useState } from 'preact/hooks';
import { t } from '../app/texts.ts';
import { Icon } from './icon.tsx';

/** Closes the dialog around it, after a question where something would be lost. */
const Closing = createContext<((close: () => void) => void) | undefined>(undefined);

/** Returns what closes the dialog around a part: it asks first where something was entered. Outside of a dialog it just closes. */
export const useClosing = (): ((close: () => void) => void) => useContext(Closing) ?? ((close) => close());

interface DialogProps {
  title: string;
  onClose(): void;
  isWide?: boolean;
  /** What is lost even if nothing was entered, like a secret that is shown once: the question before it closes. */
  loses?: string;
  children: ComponentChildren;
}

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

const stateOf = (control: Control) =>
  control instanceof HTMLInputElement && /^(checkbox|radio)$/.test(control.type)
    ? String(control.checked)
    : control.value;

const isControl = (target: EventTarget | null): target is Control =>
  target instanceof HTMLInputElement || target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement;

/** A modal dialog: it is open as long as it is rendered, its first field has the focus, which goes back to where it was. */
export function Dialog({ title, onClose, isWide = false, loses, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  /** What each field held when somebody came to it. */
  const before = useRef(new Map<Control, string>());
  const [asking, setAsking] = useState<() => void>();
  useEffect(() => {
    const dialog = element.current;
    const focused = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      if (focused instanceof HTMLElement && focused.isConnected) focused.focus();
    };
  }, []);
  const hasField = useRef(false);
  useEffect(() => {
    // Not on the first thing that can have it, which closes the dialog; a form may come later.
    const field = element.current?.querySelector<HTMLElement>('form :is(input:not([type="hidden"]), select, textarea)');
    if (!field || hasField.current) return;
    hasField.current = true;
    field.focus();
  });
  const isChanged = () =>
    [...before.current].some(([control, state]) => control.isConnected && stateOf(control) !== state);
  const close = (then: () => void) => {
    if (loses !== undefined || isChanged()) setAsking(() => then);
    else then();
  };
  const remember = ({ target }: Event) => {
    if (isControl(target) && !before.current.has(target)) before.current.set(target, stateOf(target));
  };
  return (
    <dialog
      ref={element}
      class={isWide ? 'wide' : undefined}
      aria-labelledby={heading}
      onClose={({ target }) => target === element.current && onClose()}
      onFocusIn={remember}
      onPointerDown={remember}
      onCancel={(event) => {
        if (event.target !== element.current) return;
        event.preventDefault();
        close(onClose);
      }}
      onKeyDown={(event) => {
        // A second Escape closes a dialog without asking for it to be canceled.
        if (event.key !== 'Escape' || event.isComposing || event.defaultPrevented) return;
        if (asking === undefined && loses === undefined && !isChanged()) return;
        event.preventDefault();
        if (asking === undefined) close(onClose);
        else setAsking(undefined);
      }}
    >
      <header>
        <h2 id={heading}>{title}</h2>
        <button type="button" class="quiet" aria-label={t.parts.close} onClick={() => close(onClose)}>
          <Icon name="close" />
        </button>
      </header>
      {asking && (
        <Question
          text={loses ?? t.parts.discardWhatWasEntered}
          onYes={asking}
          onNo={() => setAsking(undefined)}
          yes={loses === undefined ? t.parts.discard : t.parts.close}
        />
      )}
      <Closing.Provider value={close}>{children}</Closing.Provider>
    </dialog>
  );
}

interface QuestionProps {
  text: string;
  yes: string;
  onYes(): void;
  onNo(): void;
}

function Question({ text, yes, onYes, onNo }: QuestionProps) {
  const id = useId();
  const stay = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const focused = document.activeElement;
    stay.current?.focus();
    return () => {
      if (focused instanceof HTMLElement && focused.isConnected) focused.focus();
    };
  }, []);
  return (
    <div class="note question" role="alertdialog" aria-labelledby={id}>
      <p id={id}>{text}</p>
      <div class="actions end">
        <button type="button" class="danger" onClick={onYes}>
          {yes}
        </button>
        <button type="button" ref={stay} onClick={onNo}>
          {t.parts.goOnEditing}
        </button>
      </div>
    </div>
  );
}
