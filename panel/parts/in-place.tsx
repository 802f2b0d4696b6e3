import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from '../app/texts.ts';
import { type Edit, type Edited, Form, type Values } from './form.tsx';
import { Icon } from './icon.tsx';

interface InPlaceProps<Of> {
  label: string;
  /** The value as it is shown; nothing for none. */
  shown: ComponentChildren;
  /** The value is a link: a button beside it edits it. */
  isLink?: boolean;
  /** The value is shown, and that is all. */
  isFixed?: boolean;
  of: Edited<Of>;
  onSave(values: Values, edit: Edit): Promise<unknown>;
  /** The field of the form. */
  children: ComponentChildren;
}

/** A line of a `details` list whose value is edited where it is: by a click, Enter, and Escape. */
export function InPlace<Of>({ label, shown, isLink = false, isFixed = false, of, onSave, children }: InPlaceProps<Of>) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const field = useRef<HTMLElement>(null);
  const wasOpen = useRef(false);
  useEffect(() => {
    if (isOpen) {
      const control = field.current?.querySelector<HTMLElement>('input:not([type="hidden"]), select, textarea');
      control?.focus();
      if (control instanceof HTMLInputElement && /^(text|number|tel|email|url)$/.test(control.type)) control.select();
    } else if (wasOpen.current) button.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  const close = () => setOpen(false);
  const press = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (event.key === 'Escape') {
      event.stopPropagation();
      close();
    }
    const { target } = event;
    const submits =
      target instanceof HTMLSelectElement ||
      (target instanceof HTMLTextAreaElement && (event.ctrlKey || event.metaKey));
    if (event.key === 'Enter' && submits) {
      event.preventDefault();
      target.form?.requestSubmit();
    }
  };
  if (isOpen)
    return (
      <div>
        <dt class="hidden">{label}</dt>
        <dd ref={field} class="editing" onKeyDown={press}>
          <Form
            submit={t.common.save}
            of={of}
            onCancel={close}
            onSubmit={(values, edit) => onSave(values, edit).then(close)}
          >
            {children}
          </Form>
        </dd>
      </div>
    );
  const isEmpty = shown === undefined || shown === null || shown === false || shown === '';
  const open = () => setOpen(true);
  return (
    <div>
      <dt>{label}</dt>
      <dd class="value">
        {isFixed ? (
          isEmpty ? (
            '–'
          ) : (
            shown
          )
        ) : isLink && !isEmpty ? (
          <>
            {shown}
            <button
              ref={button}
              type="button"
              class="quiet pencil"
              aria-label={t.common.editName(label)}
              onClick={open}
            >
              <Icon name="pencil" />
            </button>
          </>
        ) : (
          <button ref={button} type="button" class="quiet whole" title={t.common.editName(label)} onClick={open}>
            {isEmpty ? <span class="muted">–</span> : shown}
            <span class="hidden">{t.common.editName(label)}</span>
          </button>
        )}
      </dd>
    </div>
  );
}
