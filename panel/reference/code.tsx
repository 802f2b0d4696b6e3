import { CopyButton } from '../parts/copy-button.tsx';

/** A text that is read as it stands and can be copied; `label` says which it is. */
export const Code = ({ text, label }: { text: string; label: string }) => (
  <div class="sample">
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard */}
    <pre tabIndex={0}>
      <code>{text}</code>
    </pre>
    <CopyButton text={text} label={`Copy ${label}`} />
  </div>
);

export const Json = ({ value, label }: { value: unknown; label: string }) => (
  <Code text={JSON.stringify(value, null, 2)} label={label} />
);
