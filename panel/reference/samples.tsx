import { signal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { keep, readKept } from '../app/storage.ts';
import { languages, type Sample } from '../document/examples.ts';
import { Code } from './code.tsx';

const names = Object.keys(languages);
const chosen = signal(readKept<string>('language') ?? names[0]);

/** How an operation is called, in the language that was chosen last. */
export function Samples({ sample }: { sample: Sample }) {
  const id = useId();
  const write = languages[chosen.value as string] ?? languages['curl'];
  return (
    <section class="card" aria-label="Examples">
      <fieldset class="switch">
        <legend class="hidden">Language of the example</legend>
        {names.map((name) => (
          <label key={name}>
            <input
              type="radio"
              name={id}
              checked={chosen.value === name}
              onChange={() => {
                chosen.value = name;
                keep('language', name);
              }}
            />
            <span>{name}</span>
          </label>
        ))}
      </fieldset>
      <Code text={write?.(sample, location.origin) ?? ''} label={`the ${chosen.value} example`} />
    </section>
  );
}
