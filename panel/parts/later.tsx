import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { complain } from '../app/toasts.ts';

/** Returns a part whose code is loaded when it is first shown, like a dialog that few open. */
export function later<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  let known: ComponentType<Props> | undefined;
  return function Later(props: Props) {
    const [, setLoaded] = useState(false);
    useEffect(() => {
      if (known) return;
      load().then((part) => {
        known = part;
        setLoaded(true);
      }, complain);
    }, []);
    const Part = known;
    return Part ? <Part {...props} /> : null;
  };
}
