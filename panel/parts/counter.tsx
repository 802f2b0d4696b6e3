import { count, lengthOf } from '../app/show.ts';
import { t } from '../app/texts.ts';

/** As few characters are seen at a glance. */
const atAGlance = 10;

/** Says how long a text may be from 90 % of that on, and by how much it is too long. Nothing is cut. */
export function Counter({ text, max }: { text: string; max: number }) {
  const length = lengthOf(text);
  if (length < max * 0.9 || (length <= max && max < atAGlance)) return null;
  return (
    <p class={length > max ? 'problem' : 'hint'} role="status">
      {length > max ? t.parts.tooLong(count(length - max)) : t.parts.charactersOf(count(length), count(max))}
    </p>
  );
}
