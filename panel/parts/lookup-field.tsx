import { useEffect, useState } from 'preact/hooks';
import { useLoaded } from '../app/load.ts';
import { Field } from './form.tsx';

const settleMs = 250;

interface LookupFieldProps {
  label: string;
  name: string;
  /** The text of what is chosen so far. */
  value?: string | undefined;
  required?: boolean | undefined;
  hint?: string | undefined;
  placeholder: string;
  /** Returns the texts of the records that fit; each ends in `(#id)`. */
  find(q: string | undefined, signal: AbortSignal): Promise<string[]>;
}

/** A record, found by typing a part of its name. */
export function LookupField({ find, ...rest }: LookupFieldProps) {
  const [typed, setTyped] = useState('');
  const [q, setQ] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setQ(typed.replace(/ \(#\d+\)$/, '').trim()), settleMs);
    return () => clearTimeout(timer);
  }, [typed]);
  const found = useLoaded((signal) => find(q || undefined, signal), [q]);
  return <Field {...rest} autocomplete="off" suggestions={found.data ?? []} onType={setTyped} />;
}
