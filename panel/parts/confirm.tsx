import type { ComponentChildren } from 'preact';
import { Dialog } from './dialog.tsx';
import { Form } from './form.tsx';

interface ConfirmProps {
  title: string;
  /** What the button says: what is done, not "OK". */
  action: string;
  onConfirm(): Promise<unknown>;
  onClose(): void;
  isDangerous?: boolean;
  /** What follows from it. */
  children: ComponentChildren;
}

/** Asks before something that cannot be undone; closes when it is done, and else shows what went wrong. */
export const Confirm = ({ title, action, onConfirm, onClose, isDangerous = false, children }: ConfirmProps) => (
  <Dialog title={title} onClose={onClose}>
    <Form submit={action} onCancel={onClose} isDangerous={isDangerous} onSubmit={() => onConfirm().then(onClose)}>
      <div>{children}</div>
    </Form>
  </Dialog>
);
