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

/** Returns the summary, time, and place of the first events of a calendar (RFC 5545), a line each. */
export function calendarText(calendar: string): string {
  const lines = calendar.replaceAll(/\r?\n[ \t]/g, '').split(/\r?\n/);
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
  const end = event.get('DTEND') ?? event.get('DUE');
  const times = [event.get('DTSTART'), end].flatMap((time) => (time ? [timeText(time)] : []));
  const [first, last] = times;
  const isOneDay = first && last && first.day !== '' && first.day === last.day;
  const shown = isOneDay
    ? [first.text.replace(first.zone, ''), last.text.replace(`${last.day} `, '')]
    : times.map((time) => time.text);
  return [
    `${head}: ${text('SUMMARY') || '(no title)'}`,
    ...(shown.length > 0 ? [`When: ${shown.join(' – ')}`] : []),
    ...(text('LOCATION') === '' ? [] : [`Where: ${text('LOCATION')}`]),
  ].join('\n');
}

/** A time as it was written, with its zone. */
function timeText({ parameters, value }: Property) {
  const [, year, month, date, hours, minutes, utc] = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d*(Z?))?/.exec(value) ?? [];
  if (year === undefined) return { text: value, day: '', zone: '' };
  const [, quoted, bare] = /;TZID=(?:"([^"]*)"|([^;:]*))/i.exec(parameters) ?? [];
  const zone = utc ? ' UTC' : (quoted ?? bare) ? ` (${quoted ?? bare})` : '';
  const day = `${year}-${month}-${date}`;
  return hours === undefined
    ? { text: day, day: '', zone: '' }
    : { text: `${day} ${hours}:${minutes}${zone}`, day, zone };
}

const unescaped = (text: string) =>
  text.replaceAll(/\\([\\;,nN])/g, (_, sign: string) => (/n/i.test(sign) ? ' ' : sign)).trim();
