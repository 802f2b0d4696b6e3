import { dayDate } from '../app/show.ts';
import { dayOf } from './local-time.ts';

/** A day that is the same for everybody, whatever their time zone. */
export const Day = ({ at }: { at: string }) => <time dateTime={dayOf(at)}>{dayDate(dayOf(at))}</time>;
