import type { ComponentChildren } from 'preact';

interface ChecksProps<Value extends string> {
  legend: string;
  hint?: string;
  options: readonly { value: Value; text: ComponentChildren }[];
  chosen: ReadonlySet<Value>;
  onChange(chosen: ReadonlySet<Value>): void;
  /** In columns and scrolled: for many. */
  isLong?: boolean;
}

/** Boxes to tick, any number of them. */
export function Checks<Value extends string>({ legend, hint, options, chosen, onChange, isLong }: ChecksProps<Value>) {
  const toggle = (value: Value) => {
    const changed = new Set(chosen);
    if (!changed.delete(value)) changed.add(value);
    onChange(changed);
  };
  return (
    <fieldset class={isLong ? 'checks long' : 'checks'}>
      <legend class="label">{legend}</legend>
      {hint && <p class="hint">{hint}</p>}
      <div>
        {options.map(({ value, text }) => (
          <label key={value}>
            <input type="checkbox" checked={chosen.has(value)} onChange={() => toggle(value)} />
            <span>{text}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
