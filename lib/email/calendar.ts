import { dayMs, minuteMs } from '#lib/core/clock.ts';

/** The methods of RFC 5546 in words. */
const methods = new Map([
  ['REQUEST', 'Invitation'],
  ['PUBLISH', 'Event'],
  ['CANCEL', 'Canceled'],
  ['ADD', 'Invitation'],
  ['COUNTER', 'Other time proposed'],
  ['DECLINECOUNTER', 'Other time declined'],
  ['REFRESH', 'Update asked for'],
]);
const answers = new Map([
  ['ACCEPTED', 'Accepted'],
  ['DECLINED', 'Declined'],
  ['TENTATIVE', 'Tentatively accepted'],
  ['DELEGATED', 'Delegated'],
]);
const maxEvents = 5;

/** Returns the summary, time, and place of the first events of an unfolded calendar (RFC 5545), a line each. */
export function calendarText(calendar: string): string {
  const lines = calendar.split(/\r?\n/);
  const events: Map<string, Property>[] = [];
  let isWithin = false;
  let nested = 0;
  let method = '';
  for (const line of lines) {
    const property = propertyIn(line);
    if (!property) continue;
    const { name, value } = property;
    if (name === 'METHOD') method = value.toUpperCase();
    if (name === 'BEGIN' && /^(VEVENT|VTODO)$/i.test(value)) {
      isWithin = events.push(new Map()) <= maxEvents;
      nested = 0;
    } else if (name === 'BEGIN') nested += 1;
    else if (name === 'END') {
      nested -= 1;
      isWithin &&= nested >= 0;
    } else if (isWithin && nested === 0 && !events.at(-1)?.has(name)) events.at(-1)?.set(name, property);
  }
  return events
    .slice(0, maxEvents)
    .map((event) => eventText(event, method))
    .join('\n\n');
}

interface Property {
  name: string;
  parameters: string;
  value: string;
}

function propertyIn(line: string): Property | undefined {
  const [, name = '', parameters = '', value = ''] =
    /^([\w-]+)((?:;[\w-]+=(?:"[^"]*"|[^";:])*)*):(.*)$/.exec(line) ?? [];
  return name === '' ? undefined : { name: name.toUpperCase(), parameters, value: value.trim() };
}

function eventText(event: Map<string, Property>, method: string): string {
  const text = (name: string) => unescaped(event.get(name)?.value ?? '');
  const [, answer = ''] = /;PARTSTAT=([\w-]+)/i.exec(event.get('ATTENDEE')?.parameters ?? '') ?? [];
  const head = (method === 'REPLY' ? answers.get(answer.toUpperCase()) : methods.get(method)) ?? 'Event';
  const when = whenText(event);
  return [
    `${head}: ${text('SUMMARY') || '(no title)'}`,
    ...(when === '' ? [] : [`When: ${when}`]),
    ...(text('LOCATION') === '' ? [] : [`Where: ${text('LOCATION')}`]),
  ].join('\n');
}

/** The times of an event as they were written, with their zones; of one day and one zone both once. */
function whenText(event: Map<string, Property>): string {
  const start = timeOf(event.get('DTSTART'));
  const due = event.get('DTEND') ?? event.get('DUE');
  const end = due ? timeOf(due) : start && after(start, event.get('DURATION')?.value ?? '');
  // The day on which days end is the first that is not of them.
  const last = event.has('DUE') || end?.clock !== '' ? end : shiftedBy(end, -dayMs);
  const known = [start, last].filter((time) => time !== undefined);
  const [first, second] = known;
  if (!first || !second) return known.map(timeText).join('');
  if (first.zone !== second.zone || first.day !== second.day) return known.map(timeText).join(' – ');
  return first.clock === '' ? timeText(first) : `${first.day} ${first.clock} – ${second.clock}${second.zone}`;
}

interface Time {
  day: string;
  /** Empty where a day is meant. */
  clock: string;
  zone: string;
}

const timeText = ({ day, clock, zone }: Time) => (clock === '' ? day : `${day} ${clock}${zone}`);

function timeOf(property: Property | undefined): Time | undefined {
  if (!property) return undefined;
  const { parameters, value } = property;
  const [, year, month, date, hours, minutes, utc] = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d*(Z?))?/.exec(value) ?? [];
  if (year === undefined) return { day: value, clock: '', zone: '' };
  const [, quoted, bare] = /;TZID=(?:"([^"]*)"|([^;:]*))/i.exec(parameters) ?? [];
  const zone = utc ? ' UTC' : (quoted ?? bare) ? ` (${quoted ?? bare})` : '';
  const day = `${year}-${month}-${date}`;
  return hours === undefined ? { day, clock: '', zone: '' } : { day, clock: `${hours}:${minutes}`, zone };
}

/** Returns the end by a duration (RFC 5545, 3.3.6). */
function after(start: Time, duration: string): Time | undefined {
  const [found, weeks = 0, days = 0, hours = 0, minutes = 0] =
    /^\+?P(?:(\d{1,3})W)?(?:(\d{1,4})D)?(?:T(?:(\d{1,4})H)?(?:(\d{1,5})M)?(?:\d+S)?)?$/i.exec(duration) ?? [];
  if (found === undefined) return undefined;
  const allDays = 7 * Number(weeks) + Number(days);
  return shiftedBy(start, allDays * dayMs + (Number(hours) * 60 + Number(minutes)) * minuteMs);
}

/** By the clock on the wall: a change to or from summer time between is not counted. */
function shiftedBy(time: Time | undefined, ms: number): Time | undefined {
  if (!time) return undefined;
  const at = new Date(`${time.day}T${time.clock || '00:00'}Z`).getTime();
  if (Number.isNaN(at)) return time;
  const [day = '', clock = ''] = new Date(at + ms).toISOString().split('T');
  return { ...time, day, clock: time.clock === '' ? '' : clock.slice(0, 5) };
}

const unescaped = (text: string) =>
  text.replaceAll(/\\([\\;,nN])/g, (_, sign: string) => (/n/i.test(sign) ? ' ' : sign)).trim();
