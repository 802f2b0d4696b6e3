import { useEffect, useState } from 'preact/hooks';

/** What a page is opened for comes first. */
const afterMs = 3000;

/** Returns whether it is time to ask for what a page can do without at first. */
export function useAfterFirst(): boolean {
  const [isTime, setTime] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setTime(true), afterMs);
    return () => clearTimeout(timer);
  }, []);
  return isTime;
}
