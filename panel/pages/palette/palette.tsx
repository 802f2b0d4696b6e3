import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { useLoaded } from '../../app/load.ts';
import { go, linkTo } from '../../app/route.ts';
import { may } from '../../app/session.ts';
import { t } from '../../app/texts.ts';
import { type Visit, visits } from '../../app/visited.ts';
import { Failure } from '../../parts/failure.tsx';
import { filled } from '../../parts/filled.tsx';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { UserText, userText } from '../../parts/user-text.tsx';
import { actionCommands, type Command, type Frame, pageCommands } from './commands.ts';

type Hit = Schema<'SearchHit'>;
type Ranges = readonly (readonly number[])[];

const settleMs = 150;
/** So many options down or up by Page Down and Page Up. */
const pageLength = 8;

/** Something to choose, by its text and what is said of it. */
interface Option extends Command {
  /** Places of the words in the title. */
  ranges?: Ranges;
  /** A further text under the title, with the places of the words in it. */
  detail?: { text: string; ranges: Ranges } | undefined;
  type?: keyof typeof t.palette.of;
}

interface Group {
  title: string;
  options: readonly Option[];
}

const icons: Record<keyof typeof t.palette.of, IconName> = {
  contact: 'contacts',
  company: 'company',
  deal: 'deals',
  task: 'tasks',
  thread: 'inbox',
  invoice: 'finance',
};

/** Returns the place of a hit; a task is shown in the list of tasks. */
function placeOf({ type, id, title }: Hit): string | undefined {
  if (type === 'contact') return linkTo(`/contacts/${id}`);
  if (type === 'company') return linkTo(`/companies/${id}`);
  if (type === 'deal') return linkTo(`/deals/${id}`);
  if (type === 'task') return linkTo('/tasks', { assignee: 'all', q: title });
  return type === 'thread' ? linkTo(`/inbox/thread/${id}`) : undefined;
}

/** Returns a hit as an option; none for a type that this page does not know yet. */
function optionOf(hit: Hit): Option[] {
  const href = placeOf(hit);
  if (href === undefined) return [];
  const type = hit.type as keyof typeof icons;
  const inTitle = hit.matched.find(({ text }) => text === hit.title);
  const other = hit.matched.find(({ text }) => text !== hit.title);
  const subtitle = hit.subtitle === null ? undefined : { text: hit.subtitle, ranges: [] };
  return [
    {
      key: `${type} ${hit.id}`,
      title: hit.title,
      ranges: inTitle?.ranges ?? [],
      detail: other ?? subtitle,
      icon: icons[type],
      type,
      href,
    },
  ];
}

const optionOfVisit = ({ type, path, title }: Visit): Option => ({
  key: `visited ${path}`,
  title,
  icon: icons[type],
  type,
  href: linkTo(path),
});

const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

/** Returns whether each word of `q` begins a word of the text. */
function fits(text: string, q: string): boolean {
  const words = wordsOf(text);
  return wordsOf(q).every((part) => words.some((word) => word.startsWith(part)));
}

const searched = ['contacts:read', 'companies:read', 'deals:read', 'tasks:read', 'email:read'] as const;

/** Asks for the records that hold the words; what the member may not read is left out. */
async function search(q: string, signal: AbortSignal): Promise<{ q: string; options: Option[] }> {
  if (q === '' || !searched.some(may)) return { q, options: [] };
  const { items } = await api.get('/v1/search', { signal, params: { query: { q } } });
  return { q, options: items.flatMap(optionOf) };
}

/** Commands come first: they are there at once, and records that arrive move none of them. */
function groupsFor(q: string, records: readonly Option[], frame: Frame): Group[] {
  const [pages, actions] = [pageCommands(frame), actionCommands(frame)];
  if (q === '')
    return [
      { title: t.palette.recent, options: visits().map(optionOfVisit) },
      { title: t.palette.actions, options: actions },
      { title: t.palette.goTo, options: pages },
    ];
  return [
    { title: t.palette.goTo, options: pages.filter(({ title }) => fits(t.palette.goToPage(title), q)) },
    { title: t.palette.actions, options: actions.filter(({ title }) => fits(title, q)) },
    { title: t.palette.records, options: records },
  ];
}

interface PaletteProps extends Frame {
  /** Returns what was typed before it was there. */
  takeTyped(): string;
  onClose(): void;
}

/** One search over records, pages, and actions, worked by keys alone. */
export function Palette({ takeTyped, onClose, ...frame }: PaletteProps) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [typed, setTyped] = useState(takeTyped);
  const [isComposing, setComposing] = useState(false);
  const [q, setQ] = useState(typed.trim());
  /** The key of the option that was moved to; without one, the first is chosen. */
  const [movedTo, moveTo] = useState<string>();
  /** Enter was pressed before the answer was there; in a new tab or not. */
  const [entered, setEntered] = useState<{ newTab: boolean }>();
  // At once: what is typed before it is open is nobody's.
  useLayoutEffect(() => {
    const opened = dialog.current;
    opened?.showModal();
    return () => opened?.close();
  }, []);
  useEffect(() => {
    if (isComposing) return;
    const timer = setTimeout(() => setQ(typed.trim()), settleMs);
    return () => clearTimeout(timer);
  }, [typed, isComposing]);
  const found = useLoaded((signal) => search(q, signal), [q]);
  const isPending = typed.trim() !== q || (found.data?.q !== q && found.error === undefined);
  const groups = groupsFor(typed.trim(), typed.trim() === '' ? [] : (found.data?.options ?? []), frame).filter(
    ({ options }) => options.length > 0,
  );
  const options = groups.flatMap((group) => group.options);
  const at = Math.max(
    0,
    options.findIndex(({ key }) => key === movedTo),
  );
  const chosen = options[at];

  const choose = (option: Option, newTab: boolean) => {
    onClose();
    // The dialog that an action opens comes after this one is gone.
    if (option.href === undefined) setTimeout(() => option.run?.());
    // A tab that this one opens begins in its workspace and environment.
    else if (newTab) open(option.href, '_blank');
    else go(option.href.slice(1));
  };
  const enter = (newTab: boolean) => {
    // What is shown may still be the answer to fewer letters.
    const isOlder = isPending && chosen?.type !== undefined && movedTo === undefined;
    if (chosen && !isOlder) choose(chosen, newTab);
    else if (isPending) setEntered({ newTab });
  };
  useEffect(() => {
    if (!entered || isPending) return;
    setEntered(undefined);
    if (chosen) choose(chosen, entered.newTab);
  }, [entered, isPending]);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [chosen?.key]);

  const press = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: pageLength, PageUp: -pageLength }[event.key];
    if (steps !== undefined && options.length > 0) {
      const to = Math.abs(steps) === 1 ? at + steps : Math.min(options.length - 1, Math.max(0, at + steps));
      moveTo(options.at(to % options.length)?.key);
    } else if (event.key === 'Enter') enter(event.ctrlKey || event.metaKey);
    else return;
    event.preventDefault();
  };
  const input = (text: string) => {
    setTyped(text);
    moveTo(undefined);
    setEntered(undefined);
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same
    <dialog
      ref={dialog}
      class="palette"
      aria-label={t.palette.search}
      onClose={onClose}
      onClick={({ target }) => target === dialog.current && onClose()}
    >
      <input
        type="text"
        role="combobox"
        aria-label={t.palette.searchFor}
        placeholder={t.palette.searchFor}
        aria-expanded={options.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={chosen && `${id}-${chosen.key}`}
        autocomplete="off"
        spellcheck={false}
        {...userText}
        value={typed}
        onInput={(event) => input(event.currentTarget.value)}
        onCompositionStart={() => setComposing(true)}
        onCompositionEnd={() => setComposing(false)}
        onKeyDown={press}
      />
      <div ref={list} id={`${id}-list`} role="listbox" aria-label={t.palette.results} aria-busy={isPending}>
        {groups.map(({ title, options: inGroup }) => (
          // biome-ignore lint/a11y/useSemanticElements: a listbox takes no fieldset
          <div key={title} role="group" aria-label={title}>
            <p aria-hidden="true">{title}</p>
            {inGroup.map((option) => (
              <Choice
                key={option.key}
                id={`${id}-${option.key}`}
                option={option}
                isChosen={option === chosen}
                choose={(newTab) => choose(option, newTab)}
              />
            ))}
          </div>
        ))}
      </div>
      {found.error !== undefined && !isPending && <Failure error={found.error} again={found.reload} />}
      <p class="hint" role="status">
        {options.length === 0
          ? isPending
            ? t.palette.searching
            : found.error === undefined && t.palette.nothingFits
          : filled(t.palette.newTab, { keys: <kbd>Ctrl Enter</kbd> })}
      </p>
    </dialog>
  );
}

interface ChoiceProps {
  id: string;
  option: Option;
  isChosen: boolean;
  choose(newTab: boolean): void;
}

const Choice = ({ id, option: { title, ranges = [], detail, icon, type }, isChosen, choose }: ChoiceProps) => (
  // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the focus and the keys
  // biome-ignore lint/a11y/useFocusableInteractive: the field names it by aria-activedescendant
  <div
    id={id}
    role="option"
    aria-selected={isChosen}
    onClick={({ ctrlKey, metaKey }) => choose(ctrlKey || metaKey)}
    onAuxClick={({ button }) => button === 1 && choose(true)}
  >
    <Icon name={icon} />
    <span class="what">
      <Marked text={title} ranges={ranges} />
      {detail && (
        <span class="hint">
          <Marked {...detail} />
        </span>
      )}
    </span>
    {type && <span class="muted">{t.palette.of[type]}</span>}
  </div>
);

/** A text with its found places marked. */
function Marked({ text, ranges }: { text: string; ranges: Ranges }) {
  if (ranges.length === 0) return <UserText text={text} isName />;
  let end = 0;
  const parts = ranges.flatMap(([from = 0, to = 0]) => {
    const before = text.slice(end, from);
    end = to;
    return [before, <mark key={from}>{text.slice(from, to)}</mark>];
  });
  return (
    <bdi {...userText} class="one-line" title={text}>
      {parts}
      {text.slice(end)}
    </bdi>
  );
}
