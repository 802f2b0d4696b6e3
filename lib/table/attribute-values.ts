/** A value as DynamoDB's JSON has it: one member, which names its type. */
type AttributeValue = Record<string, unknown>;

type Attributes = Record<string, unknown>;

/** Of DynamoDB's inputs and outputs, what holds attributes by name, and what holds several such. */
const ofAttributes = [
  'Item',
  'Key',
  'ExpressionAttributeValues',
  'ExclusiveStartKey',
  'Attributes',
  'LastEvaluatedKey',
];
const ofMany = ['Items', 'Keys'];

/** An input as DynamoDB's JSON has it. Throws for what no attribute holds; what is undefined is left out. */
export const marshalled = (input: object): object => converted(input, itemOf) as object;

/** An output with attributes as they were before they were `marshalled`; bytes are a Uint8Array. */
export const unmarshalled = (output: object): object => converted(output, attributesOf) as object;

/** An item as whoever reads it will have it. */
export const asRead = (item: object): Attributes => attributesOf(itemOf(item));

function converted(part: unknown, convert: (attributes: Attributes) => Attributes): unknown {
  if (typeof part !== 'object' || part === null) return part;
  if (Array.isArray(part)) return part.map((one) => converted(one, convert));
  const result: Attributes = {};
  for (const [name, value] of Object.entries(part)) {
    if (value === undefined) continue;
    if (ofAttributes.includes(name)) result[name] = convert(value);
    else if (ofMany.includes(name)) result[name] = value.map(convert);
    else if (name === 'Responses') result[name] = everyTable(value, convert);
    else result[name] = converted(value, convert);
  }
  return result;
}

/** What a batch has read of each table. */
const everyTable = (tables: Record<string, Attributes[]>, convert: (attributes: Attributes) => Attributes) =>
  Object.fromEntries(Object.entries(tables).map(([table, items]) => [table, items.map(convert)]));

const itemOf = (attributes: object): Record<string, AttributeValue> => {
  const present = Object.entries(attributes).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present.map(([name, value]) => [name, typed(value)]));
};

function typed(value: unknown): AttributeValue {
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'boolean') return { BOOL: value };
  if (typeof value === 'number' && Number.isFinite(value)) return { N: String(value) };
  if (value === null) return { NULL: true };
  if (Array.isArray(value)) return { L: value.filter((one) => one !== undefined).map(typed) };
  if (value instanceof Uint8Array) return { B: base64Of(value) };
  if (typeof value === 'object' && isPlain(value)) return { M: itemOf(value) };
  throw new TypeError(`DynamoDB holds no ${typeof value === 'object' ? value.constructor.name : typeof value} as this`);
}

const base64Of = ({ buffer, byteOffset, length }: Uint8Array) =>
  Buffer.from(buffer, byteOffset, length).toString('base64');

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** The attributes of an item as DynamoDB's JSON has it, or as a stream shows it. */
export const attributesOf = (item: object): Attributes =>
  Object.fromEntries(Object.entries(item).map(([name, value]) => [name, plainOf(value)]));

function plainOf(value: AttributeValue): unknown {
  for (const type in value) {
    const held = value[type];
    switch (type) {
      case 'S':
      case 'BOOL':
        return held;
      case 'N':
        // Sums of money pass 2^53 cents: DynamoDB counts them exactly, and they are shown as the number next to them.
        return Number(held);
      case 'NULL':
        return null;
      case 'L':
        return (held as AttributeValue[]).map(plainOf);
      case 'M':
        return attributesOf(held as object);
      case 'B':
        return new Uint8Array(Buffer.from(held as string, 'base64'));
    }
  }
  throw new TypeError(`an attribute of another type than this table has: ${Object.keys(value)}`);
}
