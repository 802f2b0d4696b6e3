import { useEffect, useRef } from 'preact/hooks';
import { t } from '../../app/texts.ts';
import { Icon } from '../../parts/icon.tsx';
import { userText } from '../../parts/user-text.tsx';
import { type EditedOption, moved, optionColors } from './field-options.ts';

interface OptionsProps {
  options: readonly EditedOption[];
  onChange(options: EditedOption[]): void;
}

/** The options of a field in a form: named, colored, ordered, added, and left out. */
export function Options({ options, onChange }: OptionsProps) {
  const list = useRef<HTMLUListElement>(null);
  const focusesLast = useRef(false);
  useEffect(() => {
    if (!focusesLast.current) return;
    focusesLast.current = false;
    list.current?.querySelector<HTMLElement>('li:last-child input:not([type="color"])')?.focus();
  }, [options.length]);
  const edit = (at: number, changes: Partial<EditedOption>) =>
    onChange(options.map((option, here) => (here === at ? { ...option, ...changes } : option)));
  const add = () => {
    focusesLast.current = true;
    onChange([...options, { label: '', color: optionColors[options.length % optionColors.length] as string }]);
  };
  return (
    <fieldset>
      <legend class="label">{t.fields.options}</legend>
      <p class="hint">{t.fields.anOptionThatIsLeftOut}</p>
      <ul class="options" ref={list}>
        {options.map((option, at) => (
          <li key={option.id ?? `new-${at}`}>
            <input
              type="color"
              aria-label={t.fields.colorOf(option.label || at + 1)}
              value={option.color}
              onInput={(event) => edit(at, { color: event.currentTarget.value })}
            />
            <input
              {...userText}
              aria-label={t.fields.option(at + 1)}
              value={option.label}
              required
              maxLength={80}
              onInput={(event) => edit(at, { label: event.currentTarget.value })}
              onKeyDown={(event) => {
                if (event.key !== 'Enter' || event.isComposing) return;
                event.preventDefault();
                add();
              }}
            />
            <button
              type="button"
              class="quiet"
              aria-label={t.fields.moveUp(option.label || at + 1)}
              disabled={at === 0}
              onClick={() => onChange(moved(options, at, at - 1))}
            >
              ↑
            </button>
            <button
              type="button"
              class="quiet"
              aria-label={t.fields.leaveOut(option.label || at + 1)}
              onClick={() => onChange(options.filter((_, here) => here !== at))}
            >
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ul>
      <button type="button" class="small" onClick={add}>
        {t.fields.addAnOption}
      </button>
    </fieldset>
  );
}
