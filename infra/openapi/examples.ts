import { likeness } from './descriptions/all.ts';
import type { JsonSchema } from './inner.ts';
import type { SchemaComponents } from './schemas.ts';
import { world } from './world.ts';

/** Texts to try, in this order, for properties of these names; the first that fits the schema is taken. */
const texts: readonly [RegExp, string][] = [
  // Keys and links that are tried out must not have expired.
  [/^expiresAt$/, '2035-06-30T09:00:00Z'],
  [/^(run|due|remind|nextRun|nextAttempt|expectedClose)At$|dueDate/, '2026-12-11T09:00:00Z'],
  [/email$|^to$|^address$/i, 'ada@example.com'],
  [/phone$/i, '+44 20 7946 0958'],
  [/username$/i, 'ada_lovelace'],
  [/^(contactN|n)ame$/, 'Ada Lovelace'],
  [/color$/i, '#336699'],
  [/currency$/i, 'EUR'],
  [/company$/i, 'Analytical Engines'],
  [/title|subject/i, 'Second analytical engine'],
  [/^description$/, 'For everybody who asked at the exhibition'],
  [/fileName/, 'offer.pdf'],
  [/contentType/, 'application/pdf'],
  [/^language$/, 'en'],
  [/^model$/, 'amazon.nova-lite-v1:0'],
  [/^draft$/, 'Thank you! The offer holds until Friday.'],
  [/^instructions$/, 'Answer in one or two friendly sentences.'],
  [/userAgent/, 'crm-sync/2.1'],
  [/requestId/, '01JD3V8K5T6W9XQ2M7Z4RB1NCE'],
  [/^method$/, 'POST'],
  [/^path$/, '/v1/contacts'],
  [/resourceType/, 'contact'],
  [/phoneMasked/, '+49 … 0100'],
  [/botToken/, 'test_first-bot'],
  [/^code$/, '00000'],
  [/^confirm$/, '7'],
  [/category/i, 'Consulting'],
  [/invoiceNumber/, 'INV-2026-0042'],
  [/^(deliveryId|DeliveryId)$/, '0b5a3c1e-7f64-4d0a-9a53-8b1c6a4de211'],
  [/^eventId$/, 'evt_5f0c9a3e7d1b4c68a2e9f1d3b5c7a8600'],
  [/userId$/i, '4711'],
  [/threadId/, '12'],
  [/tagName/, 'Exhibition'],
  [/secretHint/, 'aLSw'],
  [/recipient/, 'ada_lovelace'],
  [/^oldValue$/, 'new'],
  [/^newValue$/, 'qualified'],
  [/^(changedF|f)ield$/, 'stage'],
  [/accountName/, 'Sales bot'],
  [/passwordHint/, 'the name of the first cat'],
  [/accessToken/, 'test_b2F1dGgtZXhhbXBsZQ'],
  [/refreshToken|clientId/, 'b2F1dGgtZXhhbXBsZQ'],
  [/text|body|notes|message|preview/i, 'Is the offer still open?'],
  [/url$/i, 'https://example.com/hooks/crm'],
  [/(keyId|KeyId)$/, 'k7Qm2ZpX9aBc'],
  [/^ip|Ip$/, '203.0.113.7'],
  [/^key$/, 'csk_live_k7Qm2ZpX9aBc0123456789abcdefghijklmnopqrstuv'],
  [/secret$/i, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
];

const byFormat: Record<string, string> = {
  'date-time': '2026-11-20T23:17:47Z',
  date: '2026-11-20',
  email: 'ada@example.com',
  uri: 'https://example.com/hooks/crm',
  uuid: '0b5a3c1e-7f64-4d0a-9a53-8b1c6a4de211',
};

/** Matches properties that are usually null. */
const usuallyNull =
  /^(lastError|lastSyncError|error|handOffReason|floodWaitUntil|(revoked|closed|blocked|paused|edited|completed)At|replayOfId|nextCursor)$/;

const isNullable = ({ type, anyOf }: JsonSchema) =>
  (Array.isArray(type) && type.includes('null')) ||
  (Array.isArray(anyOf) && anyOf.some((option: JsonSchema) => option['type'] === 'null'));

/** Where a value stands: under which name, in which schema, and at which place of it. */
interface Spot {
  name?: string;
  title?: string;
  place?: string;
}

/** Returns the value that the world of the examples has for a property of a schema, or of one that is like it. */
function inWorld({ title, place = '' }: Spot): { value: unknown } | undefined {
  for (let at = title; at !== undefined; at = likeness.get(at)) {
    const known = world[at];
    if (known && place in known) return { value: known[place] };
  }
  return undefined;
}

/** Returns an example of a schema, the same every time: its own, that of the world, its default, its first value, or one that fits. */
export function exampleOf(schema: JsonSchema, components: SchemaComponents, spot: Spot = {}): unknown {
  const { name = '' } = spot;
  const {
    examples,
    default: preset,
    const: constant,
    enum: values,
    anyOf,
    oneOf,
    type,
    ...rest
  } = components.resolve(schema);
  const known = inWorld(spot);
  if (known) return known.value;
  if (Array.isArray(examples)) return examples[0];
  if (usuallyNull.test(name) && isNullable({ type, anyOf })) return null;
  if (preset !== undefined) return preset;
  if (constant !== undefined) return constant;
  if (Array.isArray(values)) return values[0];
  const { $ref } = schema as { $ref?: string };
  const inner = $ref === undefined ? spot : { name, title: $ref.split('/').at(-1) as string };
  const options = (anyOf ?? oneOf) as JsonSchema[] | undefined;
  if (options) return exampleOf(options[0] as JsonSchema, components, inner);
  switch (Array.isArray(type) ? type[0] : type) {
    case 'object':
      return exampleOfObject(rest, components, inner);
    case 'array':
      return [exampleOf(rest['items'] as JsonSchema, components, { name: name.replace(/s$/, '') })];
    case 'string':
      return exampleOfText(rest, name);
    case 'integer':
      return integerFor(name, rest as Bounds);
    case 'number':
      return numberFor(name, rest as Bounds);
    case 'boolean':
      return !/^(hasMore|isRevoked|isOverdue|wouldHandOff)$/.test(name);
    default:
      return null;
  }
}

function exampleOfObject(
  { properties = {}, required = [], additionalProperties }: JsonSchema,
  components: SchemaComponents,
  { title, place }: Spot,
) {
  // A new workspace has no custom fields, no view, and no page before the first.
  const isShown = (name: string) =>
    !/^(fields|viewId|cursor|archived)$/.test(name) || (required as string[]).includes(name);
  const entries = Object.entries(properties as Record<string, JsonSchema>).filter(([name]) => isShown(name));
  if (entries.length === 0 && additionalProperties) return { source: 'exhibition' };
  return Object.fromEntries(
    entries.map(([name, inner]) => {
      const spot = { name, title, place: place ? `${place}.${name}` : name } as Spot;
      return [name, exampleOf(inner, components, spot)];
    }),
  );
}

function exampleOfText(schema: JsonSchema, name: string): string {
  const { format, pattern = '', minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema;
  const fits = (text: string) =>
    new RegExp(pattern as string).test(text) &&
    text.length >= (minLength as number) &&
    text.length <= (maxLength as number);
  const candidates = texts.filter(([names]) => names.test(name)).map(([, text]) => text);
  const found = [...candidates, byFormat[format as string], 'example', '1'].find(
    (text) => text !== undefined && fits(text),
  );
  if (found === undefined)
    throw new Error(`no example fits ${name} ${JSON.stringify(schema)}: give it one with v.examples`);
  return found;
}

interface Bounds {
  minimum?: number;
  maximum?: number;
}

const within = (wanted: number, { minimum = 0, maximum = Number.POSITIVE_INFINITY }: Bounds) =>
  Math.min(Math.max(wanted, minimum), maximum);

const integers: readonly [RegExp, number][] = [
  [/score/i, 80],
  [/^status$/, 201],
  [/^responseStatus$/, 200],
  [/durationMs/, 184],
  [/sizeBytes/, 48_213],
  [/dailyLimit/, 200],
  [/rateLimitPerMinute/, 600],
  [/probability/i, 50],
  [/GapMs$|gapMs/, 3000],
  [/Minutes$/, 60],
  [/Tokens$/, 212],
  [/^(index|failed|consecutiveFailures|unreadCount)$/, 0],
  [/contactId/i, 7],
  [/^dealId$/, 31],
  [/^taskId$/, 58],
  [/^(accountId|account)$/, 2],
  [/^tagId$/, 4],
  [/^(assignedToUserId|userId)$/, 3],
  [/^(endpointId)$/, 5],
  [/^threadId$/, 12],
  [/^sequenceId$/, 6],
  [/^invoiceId$/, 42],
  [/^jobId$/, 9120],
];

const integerFor = (name: string, bounds: Bounds) =>
  within(integers.find(([names]) => names.test(name))?.[1] ?? 1, bounds);

const numberFor = (name: string, bounds: Bounds) => within(/rate$/i.test(name) ? 0.25 : 12_500, bounds);
