import { signal } from '@preact/signals';
import { ApiError } from '../../client/index.ts';

export interface Toast {
  id: number;
  text: string;
  /** What went wrong, with its request id. */
  error?: unknown;
  undo?: (() => unknown) | undefined;
}

export const toasts = signal<readonly Toast[]>([]);

const shownMs = 8000;
let last = 0;

/** Says that something was done, with a button that undoes it where that can be. */
export function say(text: string, undo?: () => unknown): void {
  const id = show({ text, undo });
  setTimeout(() => dismiss(id), shownMs);
}

/** Says what went wrong until it is dismissed, or another page opens. */
export function complain(error: unknown): void {
  // Whose session has ended is told so by the sign-in.
  if (error instanceof ApiError && error.status === 401) return;
  show({ text: '', error });
}

function show(toast: Omit<Toast, 'id'>): number {
  last += 1;
  toasts.value = [...toasts.value.slice(-3), { ...toast, id: last }];
  return last;
}

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

/** On another page nobody remembers what they are about. */
export function dismissErrors(): void {
  toasts.value = toasts.value.filter(({ error }) => error === undefined);
}

interface Attempt {
  /** What is said when it is done. */
  said?: string;
  /** Undoes it, if somebody asks for that then. */
  undo?: () => unknown;
  /** Takes back what was shown before it was done, when it fails. */
  takeBack?: () => void;
}

/** Does something that somebody has asked for; what goes wrong is said. Returns whether it was done. */
export async function attempt(work: () => Promise<unknown>, { said, undo, takeBack }: Attempt = {}): Promise<boolean> {
  try {
    await work();
  } catch (error) {
    takeBack?.();
    complain(error);
    return false;
  }
  if (said !== undefined) say(said, undo);
  return true;
}
