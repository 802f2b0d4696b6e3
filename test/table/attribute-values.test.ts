import { marshall } from '@aws-sdk/util-dynamodb';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { attributesOf, marshalled, unmarshalled } from '#lib/table/attribute-values.ts';

const leaf = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.boolean(),
  fc.constant(null),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.maxSafeInteger(),
  fc.uint8Array(),
);
const name = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'Item', 'Keys', 'S', 'M'));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, leaf, fc.array(tie('value')), fc.dictionary(name, tie('value'))),
}));
const items = fc.dictionary(name, value);
const onTheWire = (of: object) => JSON.parse(JSON.stringify(of));

/** As the SDK sends it: bytes are base64 there, too. */
const bySdk = (item: object) =>
  JSON.parse(
    JSON.stringify(marshall(item, { allowImpreciseNumbers: true }), (_, of) =>
      of?.type === 'Buffer' ? of : of instanceof Uint8Array ? Buffer.from(of).toString('base64') : of,
    ),
  );

/** What has a member `constructor` or `__proto__` is no plain object to the SDK's marshaller. */
const isOddToSdk = (item: object) => /"(constructor|__proto__)":/.test(JSON.stringify(item));

test('an item is on the wire as the SDK writes it', () => {
  fc.assert(
    fc.property(items, (item) => {
      fc.pre(!isOddToSdk(item));
      const { Item } = onTheWire(marshalled({ Item: item }));
      expect(Item).toEqual(bySdk(item));
    }),
  );
});

test('whatever an item holds comes back as it was', () => {
  fc.assert(
    fc.property(items, (item) => {
      const wire = onTheWire(marshalled({ Item: item, ExpressionAttributeValues: item }));
      // DynamoDB has one zero.
      const same = JSON.parse(JSON.stringify(item), (_, of) => of);
      expect(JSON.parse(JSON.stringify(unmarshalled({ Item: wire.Item })))).toEqual({ Item: same });
      expect(attributesOf(wire.ExpressionAttributeValues)).toEqual(attributesOf(wire.Item));
    }),
  );
});

test('every place of an input or output in which attributes lie is known, and nothing else is touched', () => {
  const of = { a: 1 };
  const as = { a: { N: '1' } };
  const shapes = (attributes: object) => ({
    TableName: 'Item',
    Key: attributes,
    Item: attributes,
    ExclusiveStartKey: attributes,
    ExpressionAttributeValues: attributes,
    ExpressionAttributeNames: { '#a': 'Key' },
    TransactItems: [
      { Put: { Item: attributes } },
      { Update: { Key: attributes, ExpressionAttributeValues: attributes } },
    ],
    RequestItems: {
      table: { Keys: [attributes, attributes], ConsistentRead: true },
      other: [{ PutRequest: { Item: attributes } }, { DeleteRequest: { Key: attributes } }],
    },
    Items: [attributes],
    Attributes: attributes,
    LastEvaluatedKey: attributes,
    Responses: { Items: [attributes] },
    UnprocessedKeys: { table: { Keys: [attributes] } },
    UnprocessedItems: { table: [{ PutRequest: { Item: attributes } }] },
    ConsumedCapacity: { CapacityUnits: 1.5 },
  });
  expect(marshalled(shapes(of))).toEqual(shapes(as));
  expect(unmarshalled(shapes(as))).toEqual(shapes(of));
});

test('what is undefined is left out; a number that is none, a set and an instance of a class are refused', () => {
  expect(marshalled({ Item: { a: undefined, b: [undefined, 1], c: { d: undefined } }, Limit: undefined })).toEqual({
    Item: { b: { L: [{ N: '1' }] }, c: { M: {} } },
  });
  for (const wrong of [Number.NaN, Number.POSITIVE_INFINITY, new Set(['a']), new Date(), () => {}, 1n])
    expect(() => marshalled({ Item: { wrong } })).toThrow(TypeError);
  expect(() => unmarshalled({ Item: { wrong: { SS: ['a'] } } })).toThrow('SS');
});

test('bytes are those of a view, not of what it looks at', () => {
  const view = Buffer.from('0123456789').subarray(3, 5);
  const { Item } = marshalled({ Item: { view } }) as { Item: Record<string, { B: string }> };
  expect(Item['view']).toEqual({ B: Buffer.from('34').toString('base64') });
  expect(Buffer.from(attributesOf(Item)['view'] as Uint8Array).toString()).toBe('34');
});

test('numbers that pass 2^53 are read as the one next to them', () => {
  expect(attributesOf({ n: { N: '90071992547409931' } })).toEqual({ n: 90071992547409940 });
  expect(attributesOf({ n: { N: '1E+21' } })).toEqual({ n: 1e21 });
});
