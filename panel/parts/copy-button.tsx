import { useState } from 'preact/hooks';
import { t } from '../app/texts.ts';
import { Icon } from './icon.tsx';

/** Copies a text; `label` says which, for who does not see where it stands. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 2000);
  };
  return (
    <button type="button" class="quiet small" onClick={copy} aria-label={isCopied ? t.parts.copied : label}>
      <Icon name={isCopied ? 'check' : 'copy'} />
      {isCopied ? t.parts.copied : t.parts.copy2}
    </button>
  );
}
