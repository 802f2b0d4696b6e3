import { signal } from '@preact/signals';
import { current, environment, workspaceId } from './session.ts';
import { keep, readKept } from './storage.ts';

/** An answer that is being written. */
export interface Draft {
  text: string;
  subject?: string | undefined;
  /** Further recipients of a mail, as they were typed. */
  cc?: string | undefined;
  /** An answer to all. */
  isToAll?: boolean | undefined;
  /** The way it is to be sent, as the composer names it. */
  way?: string | undefined;
  /** When it is to be sent, as a `datetime-local` field has it. */
  later?: string | undefined;
}

type Drafts = Readonly<Record<string, Draft>>;

/** Counts the changes, so that what shows drafts is shown again. */
const changes = signal(0);
const kept = () => readKept<Drafts>('drafts') ?? {};

/** A draft belongs to one member, workspace, environment, and conversation: nobody sees another's. */
const nameOf = (conversation: string | number) =>
  [current.value?.member?.id, workspaceId.value, environment.value, conversation].join(' ');

/** Returns what was written in a conversation and not sent; undefined for nothing. */
export function draftOf(conversation: string | number): Draft | undefined {
  void changes.value;
  return kept()[nameOf(conversation)];
}

/** Keeps what is being written in this tab, over navigation, reload, and a session that ends. Undefined, or nothing but spaces, removes it. */
export function keepDraft(conversation: string | number, draft: Draft | undefined): void {
  const { [nameOf(conversation)]: _, ...others } = kept();
  const isEmpty = draft === undefined || `${draft.text}${draft.subject ?? ''}`.trim() === '';
  keep('drafts', isEmpty ? others : { ...others, [nameOf(conversation)]: draft });
  changes.value += 1;
}
