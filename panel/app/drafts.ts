import { signal } from '@preact/signals';
import { current, environment, workspaceId } from './session.ts';
import { keep, readKept } from './storage.ts';

/** A file of an answer. */
export interface DraftFile {
  /** Tells the files of this tab apart. */
  key: string;
  /** Once it is uploaded. */
  id?: number | undefined;
  name: string;
  sizeBytes: number;
  atMs: number;
}

/** A button below a message: its words, and the address or the data of it. */
export interface DraftButton {
  text: string;
  target: string;
}

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
  files?: readonly DraftFile[] | undefined;
  /** Whether the text is HTML. */
  isHtml?: boolean | undefined;
  buttons?: readonly DraftButton[] | undefined;
  /** The message that it answers, and the way by which that came. */
  answered?: { id: number; text: string; way: string } | undefined;
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
  keep('drafts', isBlank(draft) ? others : { ...others, [nameOf(conversation)]: draft });
  changes.value += 1;
}

const isBlank = (draft: Draft | undefined): boolean =>
  draft === undefined ||
  (`${draft.text}${draft.subject ?? ''}`.trim() === '' &&
    !draft.files?.length &&
    !draft.buttons?.length &&
    draft.answered === undefined);
