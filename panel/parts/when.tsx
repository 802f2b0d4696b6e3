import { exactTime, relativeTime } from '../app/show.ts';

/** A time relative to now; the exact one shows on hover. */
export const When = ({ at }: { at: string }) => (
  <time dateTime={at} title={exactTime(at)}>
    {relativeTime(at)}
  </time>
);
