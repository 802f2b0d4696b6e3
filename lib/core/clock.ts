import { setTimeout as pause } from 'node:timers/promises';

/** Tells the time and waits. Production has the machine's; a test installs one that it can move. */
export interface Clock {
  /** Returns the milliseconds since 1970. */
  now(): number;
  /** Waits for so long. Rejects once the signal aborts, like `node:timers/promises`. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Runs the work once, later. Returns a function that cancels it. */
  after(ms: number, work: () => void): () => void;
}

/** Runs the work after real time, for a wait on a socket: a moved clock does not reach it. Returns a function that cancels it. */
export function deadline(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
}

/** Below setTimeout's limit of 2^31 ms, and short enough to notice that the machine slept or its clock was set. */
const longestTimerMs = 60_000;

/** Runs the work once the machine's clock says so. Returns a function that cancels it. */
function atTime(atMs: number, work: () => void): () => void {
  let cancel = () => {};
  const wait = () => {
    cancel = deadline(Math.min(atMs - Date.now(), longestTimerMs), look);
  };
  const look = () => (Date.now() < atMs ? wait() : work());
  wait();
  return () => cancel();
}

const machine: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) => pause(ms, undefined, { ...(signal && { signal }) }),
  after: (ms, work) => atTime(Date.now() + ms, work),
};

let installed = machine;

/** Installs the clock of this process; `undefined` puts the machine's back. */
export function setClock(clock: Clock | undefined): void {
  installed = clock ?? machine;
}

/** Returns the milliseconds since 1970. */
export const now = (): number => installed.now();

/** Waits for so long. Rejects once the signal aborts. */
export const sleep = (ms: number, signal?: AbortSignal): Promise<void> => installed.sleep(ms, signal);

/** Runs the work once, later. Returns a function that cancels it. */
export const after = (ms: number, work: () => void): (() => void) => installed.after(ms, work);

/** ISO 8601 in UTC to the second, as every timestamp of the API is written (contract 0.1). */
export function timestamp(date: Date = new Date(now())): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

/** Returns a time moved by so many milliseconds. */
export function shifted(from: string | Date, byMs: number): string {
  return timestamp(new Date(new Date(from).getTime() + byMs));
}

/** Returns the timestamp of so many milliseconds from now. */
export const fromNow = (ms: number): string => timestamp(new Date(now() + ms));

/** Returns the first timestamp that is no less than so many milliseconds from now: a wait that was asked for is never shorter. */
export const notBefore = (ms: number): string => timestamp(new Date(Math.ceil((now() + ms) / secondMs) * secondMs));

/** `2026-11-20` */
export const dayOf = (time: string) => time.slice(0, 10);
/** `2026-11` */
export const monthOf = (time: string) => time.slice(0, 7);

/** Bounds of the months that are counted alone: all before 2000 counts as one month, as does all after 2099. */
export const firstCountedMonth = '1999-12';
const lastCountedMonth = '2100-01';

/** The month in which a time is counted. */
export function countedMonth(time: string): string {
  const month = monthOf(time);
  if (month < firstCountedMonth) return firstCountedMonth;
  return month > lastCountedMonth ? lastCountedMonth : month;
}

/** The days that a range touches: `2026-11-20`. */
export function daysBetween(from: string, to: string): string[] {
  const days: string[] = [];
  // In milliseconds, because the day after 9999-12-31 sorts before it as text.
  for (let day = Date.parse(`${dayOf(from)}T00:00:00Z`); day <= Date.parse(to); day += dayMs)
    days.push(dayOf(timestamp(new Date(day))));
  return days;
}

/** The next midnight in UTC, when daily limits begin anew. */
export const nextDay = (from: Date = new Date(now())): string => `${shifted(from, dayMs).slice(0, 10)}T00:00:00Z`;

/** The later of two timestamps; null is before all. */
export const latest = (a: string | null, b: string | null) => (a !== null && b !== null && a > b ? a : (b ?? a));

/** Seconds since 1970, for DynamoDB's TTL. */
export function epochSeconds(date: Date = new Date(now())): number {
  return Math.floor(date.getTime() / 1000);
}

export const secondMs = 1000;
export const minuteMs = 60 * secondMs;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;
