import { t } from '../app/texts.ts';
import { CopyButton } from './copy-button.tsx';

/** A text to read exactly or to copy, of whatever length; the keyboard can scroll it. */
export const Code = ({ label, text }: { label: string; text: string }) => (
  <div class="code">
    <div class="row">
      <span class="label">{label}</span>
      <CopyButton text={text} label={t.parts.copy(label)} />
    </div>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
    <section tabIndex={0} aria-label={label}>
      <pre>
        <code>{text}</code>
      </pre>
    </section>
  </div>
);

/** A text as indented JSON where it is JSON, else as it is. */
export function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
