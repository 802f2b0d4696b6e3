import { Failure } from './failure.tsx';
import { Skeleton } from './skeleton.tsx';

interface PendingProps {
  data: unknown;
  error: unknown;
  reload: () => void;
  lines: number;
}

/** What stands where the data will be: lines until they are there, or why they are not. Nothing once they are. */
export function Pending({ data, error, reload, lines }: PendingProps) {
  if (data) return null;
  return error === undefined ? <Skeleton lines={lines} /> : <Failure error={error} again={reload} />;
}
