import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { useLoaded } from '../../app/load.ts';
import { nameOf } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { UserText } from '../../parts/user-text.tsx';

type SavedReply = Schema<'SavedReply'>;
type Contact = Schema<'ContactWithTags'>;

/** As many are offered. */
const maxShown = 8;

/** Returns a saved text with the names of a contact in the places of its variables; others stay for whoever sends it. */
function filledReply(text: string, contact: Contact | undefined): string {
  const name = contact && (contact.name ?? undefined);
  const known: Record<string, string | undefined> = {
    name,
    firstName: name?.split(/\s+/)[0],
    company: contact?.company ?? undefined,
  };
  return text.replaceAll(
    /\{\{\s*(\w+(?:\.\w+)?)\s*(?:\|([^}]*))?\}\}/g,
    (whole, variable: string, fallback?: string) => known[variable] ?? fallback ?? whole,
  );
}

/** Returns the replies whose shortcut or name fits what is behind the slash. */
function fitting<Of extends Pick<SavedReply, 'name' | 'shortcut'>>(all: readonly Of[], typed: string): Of[] {
  const wanted = typed.toLowerCase();
  const starts = ({ shortcut }: Of) => shortcut?.startsWith(wanted) ?? false;
  return all
    .filter((one) => starts(one) || one.name.toLowerCase().includes(wanted))
    .sort((one, other) => Number(starts(other)) - Number(starts(one)) || one.name.localeCompare(other.name))
    .slice(0, maxShown);
}

interface Offered {
  replies: readonly SavedReply[];
  at: number;
  choose(reply: SavedReply): void;
  /** Handles a key that chooses among them. */
  press(event: KeyboardEvent): boolean;
}

/** Offers saved replies while the text is a slash and the beginning of a shortcut or name. */
export function useSavedReplies(text: string, contact: Contact | undefined, take: (text: string) => void): Offered {
  const typed = /^\/([^\n]{0,40})$/.exec(text)?.[1];
  const [at, setAt] = useState(0);
  const [dismissed, dismiss] = useState<string>();
  const isAsked = typed !== undefined;
  const all = useLoaded(async (signal) => (isAsked ? await everyReply(signal) : []), [isAsked]);
  const replies = typed === undefined || dismissed === text ? [] : fitting(all.data ?? [], typed);
  const choose = (reply: SavedReply) => {
    setAt(0);
    take(filledReply(reply.text, contact));
  };
  const press = (event: KeyboardEvent) => {
    if (replies.length === 0) return false;
    const act = {
      ArrowDown: () => setAt((at + 1) % replies.length),
      ArrowUp: () => setAt((at + replies.length - 1) % replies.length),
      Enter: () => choose(replies[at] ?? (replies[0] as SavedReply)),
      Tab: () => choose(replies[at] ?? (replies[0] as SavedReply)),
      Escape: () => dismiss(text),
    }[event.key];
    if (!act) return false;
    event.preventDefault();
    act();
    return true;
  };
  return { replies, at: Math.min(at, Math.max(0, replies.length - 1)), choose, press };
}

async function everyReply(signal: AbortSignal): Promise<SavedReply[]> {
  const items: SavedReply[] = [];
  for (let after: number | undefined; ; ) {
    const page = await api.get('/v1/saved-replies', { signal, params: { query: { limit: 100, after } } });
    items.push(...page.items);
    if (page.nextCursor === null) return items;
    after = page.nextCursor;
  }
}

export const SavedReplies = ({ of: { replies, at, choose } }: { of: Offered }) =>
  replies.length === 0 ? null : (
    <ul class="saved-replies" aria-label={t.common.savedReplies} aria-live="polite">
      {replies.map((reply, index) => (
        <li key={reply.id}>
          <button
            type="button"
            class={index === at ? 'quiet chosen' : 'quiet'}
            aria-current={index === at ? 'true' : undefined}
            onClick={() => choose(reply)}
          >
            <b>{reply.shortcut ? `/${reply.shortcut}` : nameOf(reply)}</b> <UserText text={reply.text} isName />
          </button>
        </li>
      ))}
    </ul>
  );
