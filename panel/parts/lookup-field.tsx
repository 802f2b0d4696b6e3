import { useEffect, useId, useState } from 'preact/hooks';
import { useLoaded } from '../app/load.ts';
import { t } from '../app/texts.ts';
import { chosenText } from './contact-text.ts';
import { filled } from './filled.tsx';
import { useNotes } from './form.tsx';
import { UserText, userText } from './user-text.tsx';

const settleMs = 250;

/** A record that can be chosen. */
export interface Candidate {
  id: number;
  name: string;
  /** What tells it from others of the same name: an address, a domain. */
  detail?: string | null | undefined;
}

interface LookupFieldProps {
  label: string;
  name: string;
  /** The text of what is chosen so far. */
  value?: string | undefined;
  required?: boolean | undefined;
  hint?: string | undefined;
  placeholder: string;
  /** Returns the records that fit. */
  find(q: string | undefined, signal: AbortSignal): Promise<Candidate[]>;
}

/** How people see it: without the id. */
const nameIn = (text: string) => text.replace(/ \(#\d+\)$/, '');

/** Returns how candidates are offered, by what they are to the form: with what tells them apart, at last with their ids. */
function offersOf(candidates: readonly Candidate[]): ReadonlyMap<string, string> {
  const offers = new Map<string, string>();
  for (const candidate of candidates) {
    const { name, detail } = candidate;
    const offer = detail && detail !== name ? `${name} · ${detail}` : name;
    const text = chosenText(candidate);
    offers.set(offers.has(offer) ? text : offer, text);
  }
  return offers;
}

/** A record, found by typing a part of its name. The form has its name with its id, which nobody needs to see. */
export function LookupField({ label, name, value = '', required, hint, placeholder, find }: LookupFieldProps) {
  const id = useId();
  const [shown, setShown] = useState(nameIn(value));
  const [chosen, setChosen] = useState(value);
  const [q, setQ] = useState('');
  /** Whatever was offered, so that a choice holds while others are looked for. */
  const [offers, setOffers] = useState<ReadonlyMap<string, string>>(new Map());
  const { problem, theirs } = useNotes(name);
  useEffect(() => {
    const timer = setTimeout(() => setQ(nameIn(shown).split(' · ')[0]?.trim() ?? ''), settleMs);
    return () => clearTimeout(timer);
  }, [shown]);
  const found = useLoaded((signal) => find(q || undefined, signal), [q]);
  const offered = offersOf(found.data ?? []);
  useEffect(() => setOffers((before) => new Map([...before, ...offered])), [found.data]);
  const type = (text: string) => {
    setShown(text);
    setChosen(text === nameIn(value) ? value : (offers.get(text) ?? text));
  };
  const take = (text: string) => {
    setShown(nameIn(text));
    setChosen(text);
  };
  const described = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ') || undefined;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        {...userText}
        autocomplete="off"
        list={`${id}-list`}
        required={required}
        placeholder={placeholder}
        aria-describedby={described}
        aria-invalid={problem ? true : undefined}
        value={shown}
        onInput={({ currentTarget }) => type(currentTarget.value)}
      />
      <input type="hidden" name={name} value={chosen} onInput={({ currentTarget }) => take(currentTarget.value)} />
      <datalist id={`${id}-list`}>
        {[...offered.keys()].map((offer) => (
          <option key={offer} value={offer} />
        ))}
      </datalist>
      {theirs !== undefined && (
        <p class="note conflict">
          {filled(t.parts.itIsNow, { value: <UserText text={nameIn(theirs) || '–'} /> })}{' '}
          <button type="button" class="small" aria-pressed={chosen === theirs} onClick={() => take(theirs)}>
            {t.parts.takeIt}
          </button>
        </p>
      )}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {problem && (
        <p class="problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
    </div>
  );
}
