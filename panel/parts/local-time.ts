const two = (value: number) => String(value).padStart(2, '0');

/** A time as a `date` field takes it, in the viewer's zone. */
export function localDate(at: string | Date): string {
  const time = new Date(at);
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
}

/** A time as a `datetime-local` field takes it. */
export function localTime(at: string | Date): string {
  const time = new Date(at);
  return `${localDate(time)}T${two(time.getHours())}:${two(time.getMinutes())}`;
}

/** The instant of what a `date` or `datetime-local` field holds; null for nothing. */
export const instant = (local: string | undefined): string | null =>
  local === undefined ? null : new Date(local.includes('T') ? local : `${local}T00:00`).toISOString();

/** The first instant of a day, so many days from today. */
export function dayStart(days = 0): Date {
  const now = new Date();
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days);
}
