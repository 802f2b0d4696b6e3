import { randomUUID } from 'node:crypto';
import {
  type AttributeValue,
  DynamoDB,
  type PutItemCommandInput,
  type QueryCommandInput,
  type TransactWriteItem,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { test } from 'vitest';
import { runEngine } from '#infra/local/engine/process.ts';
import { findEngine } from '#infra/local/engine/program.ts';
import { temporaryFolder } from '#test/infra/local/cloud-assembly.ts';
import { clientOf, compareWithMoto, Play } from '#test/infra/local/oracle.ts';

type Item = Record<string, AttributeValue>;

/** The engine against moto's DynamoDB: the calls that lib/table makes, and what lies at their edges. */
async function play(endpoint: string) {
  const dynamodb = new DynamoDB(clientOf(endpoint));
  const game = new Play(/^TableName$/, ['ConsumedCapacity', 'ItemCollectionMetrics']);
  const ask = game.ask.bind(game);
  const TableName = `oracle-${randomUUID()}`;
  const on = { TableName };
  await dynamodb.createTable({
    ...on,
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
    AttributeDefinitions: ['pk', 'sk'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    BillingMode: 'PAY_PER_REQUEST',
  });
  const key = (sk: string, pk = 'p'): Item => ({ pk: { S: pk }, sk: { S: sk } });
  const put = (step: string, item: object, more: Partial<PutItemCommandInput> = {}) =>
    ask(step, dynamodb.putItem({ ...on, Item: item as Item, ...more }));
  const update = (step: string, sk: string, more: Partial<UpdateItemCommandInput>) =>
    ask(step, dynamodb.updateItem({ ...on, Key: key(sk), ...more }));
  const get = (step: string, sk: string, more: object = {}) =>
    ask(step, dynamodb.getItem({ ...on, Key: key(sk), ConsistentRead: true, ...more }));
  const query = (step: string, KeyConditionExpression: string, values: Item, more: Partial<QueryCommandInput> = {}) =>
    ask(
      step,
      dynamodb.query({
        ...on,
        KeyConditionExpression,
        ExpressionAttributeValues: values,
        ...more,
      } as QueryCommandInput),
    );
  const n = (value: string) => ({ N: value });
  const s = (value: string) => ({ S: value });
  const tellsWhy = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const };

  // Single writes.
  const base = {
    ...key('a'),
    n: n('1'),
    s: s('x'),
    m: { M: { in: n('1'), l: { L: [n('1'), n('2')] } } },
    z: { NULL: true },
  };
  await put('put', base);
  await put('put over it', { ...base, n: n('2') }, { ReturnValues: 'ALL_OLD' });
  await put('put again, new values asked', base, { ReturnValues: 'ALL_NEW' });
  const absent = { ConditionExpression: 'attribute_not_exists(pk)' };
  await put('put what is there', base, absent);
  await put('put what is there, why', base, { ...absent, ...tellsWhy });
  const expected = (ConditionExpression: string, values?: Item, names?: Record<string, string>) => ({
    ConditionExpression,
    ...(values && { ExpressionAttributeValues: values }),
    ...(names && { ExpressionAttributeNames: names }),
  });
  const conditions: [string, (Item | undefined)?, Record<string, string>?][] = [
    ['#n0 = :v0 AND attribute_not_exists(#n1)', { ':v0': n('1') }, { '#n0': 'n', '#n1': 'lockedBy' }],
    ['#n0 = :v0', { ':v0': s('1') }, { '#n0': 'n' }],
    ['#n0 <> :v0', { ':v0': n('1') }, { '#n0': 'absent' }],
    ['#n0 < :v0', { ':v0': n('2') }, { '#n0': 'absent' }],
    ['NOT #n0 > :v0', { ':v0': n('2') }, { '#n0': 'absent' }],
    ['#n0 < :v0', { ':v0': n('10') }, { '#n0': 'n' }],
    ['#n0 < :v0', { ':v0': s('y') }, { '#n0': 'n' }],
    ['(#n0 = :v0 OR #n1 = :v1)', { ':v0': n('7'), ':v1': s('x') }, { '#n0': 'n', '#n1': 's' }],
    ['#n0 <= #n1', undefined, { '#n0': 'n', '#n1': 'n' }],
    ['#n0 = :v0', { ':v0': { NULL: true } }, { '#n0': 'z' }],
    ['m.#n0 = :v0 AND m.l[1] = :v1', { ':v0': n('1'), ':v1': n('2') }, { '#n0': 'in' }],
    ['size(s) = :v0', { ':v0': n('1') }],
    ['attribute_type(m, :v0)', { ':v0': s('M') }],
    ['attribute_type(m, :v0)', { ':v0': s('Q') }],
    ['contains(s, :v0)', { ':v0': s('x') }],
    ['begins_with(s, :v0)', { ':v0': s('') }],
    ['begins_with(n, :v0)', { ':v0': s('1') }],
    ['n IN (:v0, :v1)', { ':v0': n('3'), ':v1': n('1') }],
    ['n BETWEEN :v0 AND :v1', { ':v0': n('0'), ':v1': n('1') }],
    ['n BETWEEN :v1 AND :v0', { ':v0': n('0'), ':v1': n('1') }],
    ['n = :v0', { ':v0': n('1.0') }],
    ['n = :missing', { ':v0': n('1') }],
    ['#unknown = :v0', { ':v0': n('1') }],
    ['n = :v0', { ':v0': n('1'), ':unused': n('1') }],
    ['n = :v0', { ':v0': n('1') }, { '#unused': 'n' }],
    ['n = ', { ':v0': n('1') }],
    ['((n = :v0))', { ':v0': n('1') }],
    ['', undefined],
    ['n == :v0', { ':v0': n('1') }],
    ['status = :v0', { ':v0': n('1') }],
    ['attribute_exists(:v0)', { ':v0': n('1') }],
    ['n = :v0', { ':v0': { NULL: false } }],
  ];
  for (const [condition, values, names] of conditions)
    await put(
      `condition ${condition} ${Object.values({ ...names }).join(' ')} ${JSON.stringify(Object.values({ ...values }))}`,
      base,
      expected(condition, values, names),
    );
  await ask(
    'delete with a condition, why',
    dynamodb.deleteItem({ ...on, Key: key('a'), ...expected('n = :v', { ':v': n('9') }), ...tellsWhy }),
  );
  await ask('delete', dynamodb.deleteItem({ ...on, Key: key('a'), ReturnValues: 'ALL_OLD' }));
  await ask('delete what is gone', dynamodb.deleteItem({ ...on, Key: key('a'), ReturnValues: 'ALL_OLD' }));
  await ask(
    'delete what is gone, with a condition, why',
    dynamodb.deleteItem({ ...on, Key: key('a'), ...expected('attribute_exists(pk)'), ...tellsWhy }),
  );
  await get('get what is gone', 'a');

  // Updates.
  await put('put for updates', base);
  const all = { ReturnValues: 'ALL_NEW' as const };
  const named = { ExpressionAttributeNames: { '#n0': 'n', '#n1': 's', '#n2': 'z' } };
  await update('add, set and remove', 'a', {
    UpdateExpression: 'ADD #n0 :v0 SET #n1 = :v1 REMOVE #n2',
    ...named,
    ExpressionAttributeValues: { ':v0': n('5'), ':v1': s('y') },
    ...all,
  });
  await get('get it', 'a');
  for (const ReturnValues of ['NONE', 'ALL_OLD', 'UPDATED_OLD', 'ALL_NEW', 'UPDATED_NEW'] as const)
    await update(`update, ${ReturnValues}`, 'a', {
      UpdateExpression: 'SET n = n + :one, m.#in = :one, fresh = if_not_exists(fresh, :one)',
      ExpressionAttributeNames: { '#in': 'in' },
      ExpressionAttributeValues: { ':one': n('1') },
      ReturnValues,
    });
  const updates: [string, string, Item?][] = [
    ['add to nothing', 'ADD a :v', { ':v': n('3') }],
    ['add to a text', 'ADD s :v', { ':v': n('3') }],
    ['add a text', 'ADD n :v', { ':v': s('3') }],
    ['set a path of no map', 'SET nope.x = :v', { ':v': n('3') }],
    ['set a place behind a list', 'SET m.l[9] = :v', { ':v': n('3') }],
    ['append', 'SET m.l = list_append(m.l, :v)', { ':v': { L: [n('7')] } }],
    ['append to nothing', 'SET q = list_append(q, :v)', { ':v': { L: [n('7')] } }],
    ['remove a place', 'REMOVE m.l[0]'],
    ['remove what is not there', 'REMOVE nowhere'],
    ['two paths that overlap', 'SET m = :v REMOVE m.l', { ':v': { M: {} } }],
    ['the same path twice', 'SET n = :v, n = :v', { ':v': n('1') }],
    ['a clause twice', 'SET n = :v SET s = :v', { ':v': n('1') }],
    ['a key', 'SET sk = :v', { ':v': s('b') }],
    ['arithmetic with nothing', 'SET w = nothing + :v', { ':v': n('1') }],
    ['subtract', 'SET n = n - :v', { ':v': n('100') }],
    ['subtract from a text', 'SET s = s - :v', { ':v': n('100') }],
    ['three operands', 'SET n = n + :v + :v', { ':v': n('1') }],
    ['a copy', 'SET other = m'],
    ['nothing at all', ''],
    ['a reserved word', 'SET status = :v', { ':v': n('1') }],
    ['add a set', 'ADD tags :v', { ':v': { SS: ['b', 'a'] } }],
    ['add to a set', 'ADD tags :v', { ':v': { SS: ['c', 'a'] } }],
    ['delete of a set', 'DELETE tags :v', { ':v': { SS: ['a'] } }],
    ['delete all of a set', 'DELETE tags :v', { ':v': { SS: ['a', 'b'] } }],
    ['an empty set', 'SET tags = :v', { ':v': { SS: [] } }],
    ['a set with something twice', 'SET tags = :v', { ':v': { SS: ['a', 'a'] } }],
    ['an empty text', 'SET e = :v', { ':v': s('') }],
    ['empty bytes', 'SET e = :v', { ':v': { B: new Uint8Array() } }],
  ];
  for (const [name, UpdateExpression, values] of updates) {
    await dynamodb.putItem({ ...on, Item: { ...base, tags: { SS: ['a', 'b'] } } });
    await update(`update: ${name}`, 'a', {
      UpdateExpression,
      ...(values && { ExpressionAttributeValues: values }),
      ...all,
    });
  }
  await update('update of nothing makes an item', 'new', {
    UpdateExpression: 'ADD v :v',
    ExpressionAttributeValues: { ':v': n('1') },
    ReturnValues: 'UPDATED_NEW',
  });
  await update('update with nothing to do makes an item', 'bare', all);
  await update('update refused, why', 'a', {
    UpdateExpression: 'SET n = :v',
    ...expected('attribute_not_exists(pk)', { ':v': n('1') }),
    ...tellsWhy,
  });
  await update('remove alone of nothing', 'none', { UpdateExpression: 'REMOVE x', ...all });

  // Numbers, sizes and keys.
  const numbers = [
    '0.001',
    '-1',
    '1000',
    '1'.repeat(38),
    `${'1'.repeat(38)}000`,
    '123456789012345678901234567890.12345678',
  ];
  for (const number of numbers) {
    await put(`number ${number}`, { ...key('number'), v: n(number) });
    await get(`number ${number} read`, 'number');
  }
  for (const number of ['', 'NaN', 'Infinity', ' 1', '1e126', '1e-131', '1'.repeat(39)])
    await put(`number ${number} refused`, { ...key('number'), v: n(number) });
  for (const number of ['0.10', '-0', '007', '1E3']) {
    await put(`number ${number}`, { ...key('number'), v: n(number) });
    await get(`number ${number} in normal form`, 'number');
  }
  await put('a sum of 38 digits', { ...key('sum'), v: n('9'.repeat(38)) });
  await update('one more than 38 digits', 'sum', {
    UpdateExpression: 'ADD v :v',
    ExpressionAttributeValues: { ':v': n('1') },
    ...all,
  });
  await update('a tenth more than 38 digits', 'sum', {
    UpdateExpression: 'ADD v :v',
    ExpressionAttributeValues: { ':v': n('0.1') },
    ...all,
  });
  await put('cents', { ...key('cents'), v: n('0.1') });
  await update('cents are exact', 'cents', {
    UpdateExpression: 'ADD v :v',
    ExpressionAttributeValues: { ':v': n('0.2') },
    ...all,
  });
  // pk 2 + 1, sk 2 + 4, a 1: the names count.
  const filler = 409_600 - 10;
  await put('400 KB', { ...key('full'), a: s('x'.repeat(filler)) });
  await put('a byte more than 400 KB', { ...key('full'), a: s('x'.repeat(filler + 1)) });
  await put('400 KB of two bytes each', { ...key('full'), a: s('é'.repeat(filler / 2)) });
  await put('two bytes more than 400 KB of two bytes each', { ...key('full'), a: s('é'.repeat(filler / 2 + 1)) });
  await update('update beyond 400 KB', 'full', {
    UpdateExpression: 'SET b = :v',
    ExpressionAttributeValues: { ':v': s('x'.repeat(400)) },
  });
  await put('a sort key of 1,024 bytes', key('é'.repeat(512)));
  await put('a sort key of 1,025 bytes', key(`${'é'.repeat(512)}x`));
  await put('a partition key of 2,048 bytes', key('k', 'é'.repeat(1024)));
  await put('a partition key of 2,049 bytes', key('k', `${'é'.repeat(1024)}x`));
  await put('an empty sort key', key(''));
  await put('an empty partition key', key('k', ''));
  await put('a key of another type', { pk: s('p'), sk: n('1') });
  await put('no sort key', { pk: s('p') });
  await get('get with an empty key', '');
  await ask('get without a sort key', dynamodb.getItem({ ...on, Key: { pk: s('p') } }));
  await ask('get with more than the key', dynamodb.getItem({ ...on, Key: { ...key('a'), n: n('1') } }));
  await ask('get of no table', dynamodb.getItem({ TableName: 'no-such-table', Key: key('a') }));
  await get('a projection', 'a', {
    ProjectionExpression: 'm.#in, s, m.l[0]',
    ExpressionAttributeNames: { '#in': 'in' },
  });
  await get('a projection that overlaps', 'a', { ProjectionExpression: 'm, m.l' });
  await put('a value of two types', { ...key('two'), v: { S: 'x', N: '1' } });
  await put('a value of no type', { ...key('two'), v: {} });
  const nested = (depth: number): AttributeValue => (depth === 0 ? s('x') : { L: [nested(depth - 1)] });
  await put('32 levels', { ...key('deep'), v: nested(31) });
  await put('34 levels', { ...key('deep'), v: nested(33) });

  // Queries and scans.
  for (const index of [1, 2, 3, 4, 5, 6])
    await put(`row ${index}`, {
      ...key(`r${index}`, 'q'),
      n: n(`${index}`),
      ...(index % 2 && { odd: { BOOL: true } }),
    });
  await put('a capital', { ...key('R', 'q'), n: n('0') });
  await put('an umlaut', { ...key('ä', 'q'), n: n('0') });
  await put('a pair of surrogates', { ...key('😀', 'q'), n: n('0') });
  await put('a character behind the surrogates', { ...key('\ue000', 'q'), n: n('0') });
  const q = { ':pk': s('q') };
  await query('query', 'pk = :pk', q);
  await query('query backwards', 'pk = :pk', q, { ScanIndexForward: false, ConsistentRead: true });
  await query('query between', 'pk = :pk AND sk BETWEEN :first AND :last', {
    ...q,
    ':first': s('r2'),
    ':last': s('r4'),
  });
  await query('query between, turned round', 'pk = :pk AND sk BETWEEN :first AND :last', {
    ...q,
    ':first': s('r4'),
    ':last': s('r2'),
  });
  for (const sign of ['<', '<=', '>', '>=', '='])
    await query(`query ${sign}`, `pk = :pk AND sk ${sign} :sk`, { ...q, ':sk': s('r3') });
  await query('query <>', 'pk = :pk AND sk <> :sk', { ...q, ':sk': s('r3') });
  await query('query begins', 'pk = :pk AND begins_with(sk, :sk)', { ...q, ':sk': s('r') });
  await query('query by range of pk', 'pk > :pk', q);
  await query('query without pk', 'sk = :sk', { ':sk': s('r1') });
  await query('query of another attribute', 'pk = :pk AND n = :n', { ...q, ':n': n('1') });
  await query('query or', 'pk = :pk OR sk = :sk', { ...q, ':sk': s('r1') });
  await query('query with a filter', 'pk = :pk', { ...q, ':n': n('3') }, { FilterExpression: 'n > :n' });
  await query('query with a filter of the key', 'pk = :pk', { ...q, ':sk': s('r3') }, { FilterExpression: 'sk = :sk' });
  await query(
    'query with a filter and a limit',
    'pk = :pk',
    { ...q, ':n': n('5') },
    { FilterExpression: 'n = :n', Limit: 3 },
  );
  await query('query, a count', 'pk = :pk', q, { Select: 'COUNT' });
  await query('query with a limit of 0', 'pk = :pk', q, { Limit: 0 });
  const first = await query('query, first page', 'pk = :pk', q, { Limit: 4 });
  await query('query, second page', 'pk = :pk', q, { Limit: 4, ExclusiveStartKey: first?.LastEvaluatedKey });
  await query('query, exactly all', 'pk = :pk', q, { Limit: 10 });
  await query('query after a place that nothing has', 'pk = :pk', q, { ExclusiveStartKey: key('r2a', 'q') });
  await query('query after a place of another partition', 'pk = :pk', q, { ExclusiveStartKey: key('r2', 'other') });
  await query('query after half a key', 'pk = :pk', q, { ExclusiveStartKey: { pk: s('q') } });
  await query('query of nothing', 'pk = :pk', { ':pk': s('nobody') });
  await query('query with a projection', 'pk = :pk', q, { ProjectionExpression: 'sk', Limit: 2 });
  for (const index of [1, 2, 3, 4])
    await put(`large row ${index}`, { ...key(`l${index}`, 'large'), a: s('x'.repeat(350_000)) });
  const large = await query('a page of a megabyte', 'pk = :pk', { ':pk': s('large') }, { ProjectionExpression: 'sk' });
  await query(
    'the page after it',
    'pk = :pk',
    { ':pk': s('large') },
    { ProjectionExpression: 'sk', ExclusiveStartKey: large?.LastEvaluatedKey },
  );
  await query(
    'a megabyte that a filter leaves out',
    'pk = :pk',
    { ':pk': s('large'), ':n': n('1') },
    { FilterExpression: 'n = :n' },
  );
  const scanned: string[] = [];
  for (let from: Item | undefined, isFirst = true; from || isFirst; isFirst = false) {
    const page = await dynamodb.scan({
      ...on,
      FilterExpression: 'begins_with(pk, :pk) AND n IN (:a, :b)',
      ExpressionAttributeValues: { ...q, ':a': n('1'), ':b': n('2') },
      ConsistentRead: true,
      ...(from && { ExclusiveStartKey: from }),
    });
    scanned.push(...(page.Items ?? []).map(({ sk }) => String(sk?.S)));
    from = page.LastEvaluatedKey;
  }
  game.note('scan', scanned.sort());
  await ask('scan of segments out of order', dynamodb.scan({ ...on, Segment: 2, TotalSegments: 2 }));

  // Transactions.
  const transact = (step: string, TransactItems: TransactWriteItem[], more: object = {}) =>
    ask(step, dynamodb.transactWriteItems({ TransactItems, ...more }));
  const Put = (sk: string, more: object = {}) => ({ Put: { ...on, Item: { ...key(sk, 't'), n: n('1') }, ...more } });
  const Check = (sk: string, condition: string, more: object = {}) => ({
    ConditionCheck: { ...on, Key: key(sk, 't'), ConditionExpression: condition, ...more },
  });
  const Update = (sk: string, UpdateExpression: string, more: object = {}) => ({
    Update: { ...on, Key: key(sk, 't'), UpdateExpression, ...more },
  });
  await transact('transaction', [Put('1'), Put('2'), Check('9', 'attribute_not_exists(pk)')]);
  await transact('transaction, refused by some, why', [
    Put('3'),
    Put('1', { ...absent, ...tellsWhy }),
    Update('2', 'SET x = :v', { ...expected('n = :v', { ':v': n('8') }) }),
    { Delete: { ...on, Key: key('4', 't'), ConditionExpression: 'attribute_exists(pk)', ...tellsWhy } },
  ]);
  await query('nothing of it is written', 'pk = :pk', { ':pk': s('t') });
  await transact('transaction with an item twice', [Put('1'), Check('1', 'attribute_exists(pk)')]);
  await transact('transaction of none', []);
  await transact(
    'transaction of 100',
    Array.from({ length: 100 }, (_, index) => Put(`h${index}`)),
  );
  await transact(
    'transaction of 101',
    Array.from({ length: 101 }, (_, index) => Put(`h${index}`)),
  );
  await transact(
    'transaction beyond 4 MB',
    Array.from({ length: 12 }, (_, index) =>
      Put(`h${index}`, { Item: { ...key(`h${index}`, 't'), a: s('x'.repeat(400_000)) } }),
    ),
  );
  await transact('transaction with too large an item', [
    Put('5'),
    Put('6', { Item: { ...key('6', 't'), a: s('x'.repeat(410_000)) } }),
  ]);
  await transact('transaction with an update beyond 400 KB', [
    Put('5'),
    {
      Update: {
        ...on,
        Key: key('full'),
        UpdateExpression: 'SET b = :v',
        ExpressionAttributeValues: { ':v': s('x'.repeat(400)) },
      },
    },
  ]);
  await transact('transaction with a key of another type', [Put('5'), Put('6', { Item: { pk: s('t'), sk: n('1') } })]);
  await transact('transaction with an empty key', [Put('5'), Put('6', { Item: key('', 't') })]);
  await transact('transaction that adds to a text', [
    Update('1', 'SET s = :v', { ExpressionAttributeValues: { ':v': s('x') } }),
  ]);
  await transact('transaction that adds a number to a text', [
    Put('5'),
    Update('1', 'ADD s :v', { ExpressionAttributeValues: { ':v': n('1') } }),
  ]);
  await transact('transaction with an unknown name', [
    Update('1', 'SET #a = :v', { ExpressionAttributeValues: { ':v': n('1') } }),
  ]);
  await transact('transaction of no table', [{ Put: { TableName: 'no-such-table', Item: key('1') } }]);
  await transact('transaction of an action of two', [{ ...Put('7'), ...Check('8', 'attribute_exists(pk)') }]);
  const ClientRequestToken = randomUUID();
  const adding = [Update('sum', 'ADD v :v', { ExpressionAttributeValues: { ':v': n('1') } })];
  await transact('transaction with a token', adding, { ClientRequestToken });
  await transact('transaction with a token, again', adding, { ClientRequestToken });
  await transact('transaction with a token, another', [Put('8')], { ClientRequestToken });
  await ask('a token counts once', dynamodb.getItem({ ...on, Key: key('sum', 't') }));

  // Batches.
  const batchGet = (step: string, Keys: Item[]) =>
    ask(
      step,
      dynamodb
        .batchGetItem({ RequestItems: { [TableName]: { Keys, ConsistentRead: true } } })
        .then(({ Responses, UnprocessedKeys }) => ({
          sks: Responses?.[TableName]?.map(({ sk }) => sk?.S).sort(),
          left: UnprocessedKeys?.[TableName]?.Keys?.length ?? 0,
        })),
    );
  await batchGet('batch get', [key('r1', 'q'), key('none', 'q'), key('r2', 'q')]);
  await batchGet(
    'batch get of 101',
    Array.from({ length: 101 }, (_, index) => key(`${index}`)),
  );
  await batchGet('batch get of the same twice', [key('r1', 'q'), key('r1', 'q')]);
  await batchGet('batch get of none', []);
  const batchWrite = (step: string, requests: object[]) =>
    ask(
      step,
      dynamodb
        .batchWriteItem({ RequestItems: { [TableName]: requests as never } })
        .then(({ UnprocessedItems }) => ({ left: UnprocessedItems?.[TableName]?.length ?? 0 })),
    );
  const PutRequest = (sk: string, more: object = {}) => ({ PutRequest: { Item: { ...key(sk, 'b'), ...more } } });
  await batchWrite('batch write', [PutRequest('1'), { DeleteRequest: { Key: key('2', 'b') } }]);
  await batchWrite(
    'batch write of 26',
    Array.from({ length: 26 }, (_, index) => PutRequest(`${index}`)),
  );
  await batchWrite('batch write of none', []);
  await batchWrite('batch write of the same twice', [PutRequest('1'), { DeleteRequest: { Key: key('1', 'b') } }]);
  await batchWrite('batch write with too large an item', [
    PutRequest('1'),
    PutRequest('2', { a: s('x'.repeat(410_000)) }),
  ]);
  await batchWrite('batch write with an empty key', [PutRequest('1'), PutRequest('')]);
  await ask('batch of no table', dynamodb.batchWriteItem({ RequestItems: { 'no-such-table': [PutRequest('1')] } }));
  dynamodb.destroy();
  return game.answers;
}

/** Where DynamoDB's documentation is followed rather than moto. */
const differences = {
  'the engine is wrong: it begins keys with either case': ['query begins'],
  'the engine is wrong: it fills a list up to a place behind it, where DynamoDB appends': [
    'update: set a place behind a list',
  ],
  'the engine is wrong: DynamoDB refuses a place outside of the query': ['query after a place of another partition'],
  'the engine is wrong: DynamoDB refuses two actions in one': ['transaction of an action of two'],
  'the engine is wrong, or not: whether what no page has room for is counted as scanned is not said': [
    'a page of a megabyte',
    'a megabyte that a filter leaves out',
  ],
  'moto does not check sizes, numbers, depths and sets': [
    '34 levels',
    'a tenth more than 38 digits',
    'a value of two types',
    'number 1e126 refused',
    `number ${'1'.repeat(39)} refused`,
    'transaction beyond 4 MB',
    'transaction with an update beyond 400 KB',
    'update beyond 400 KB',
    'update: a set with something twice',
    'update: an empty set',
  ],
  'DynamoDB does not know of the end of a partition before it looks behind a full page': ['query, exactly all'],
  'moto counts other bytes than DynamoDB says': ['400 KB', '400 KB of two bytes each'],
  'moto keeps numbers as they are written': ['0.10', '-0', '007', '1E3'].map((one) => `number ${one} in normal form`),
  'moto does not check batches and transactions': [
    'batch get of none',
    'batch write of 26',
    'batch write of none',
    'batch write of the same twice',
    'transaction of none',
  ],
  'moto does not know tokens': ['a token counts once', 'transaction with a token, another'],
  'moto does not check expressions': [
    'a projection that overlaps',
    'condition   []',
    'condition n = :v0  [{"N":"1"},{"N":"1"}]',
    'condition n = :v0  [{"NULL":false}]',
    'condition n BETWEEN :v1 AND :v0  [{"N":"0"},{"N":"1"}]',
    'query between, turned round',
    'query with a filter of the key',
    'update: three operands',
  ],
  'moto fails with a status of 500, or another error of its own': [
    'a value of no type',
    'condition #n0 < :v0 n [{"S":"y"}]',
    'condition #unknown = :v0  [{"N":"1"}]',
    'condition attribute_exists(:v0)  [{"N":"1"}]',
    'condition n =   [{"N":"1"}]',
    'condition n = :missing  [{"N":"1"}]',
    'condition n == :v0  [{"N":"1"}]',
    'query <>',
    'query after half a key',
    'query or',
    'query with a limit of 0',
    'transaction with an unknown name',
    'update with nothing to do makes an item',
  ],
  'DynamoDB cancels a transaction for what a value is, and says of which action': [
    'transaction that adds a number to a text',
    'transaction with a key of another type',
  ],
  'DynamoDB returns the attributes that an update names, and no others': [
    'update of nothing makes an item',
    'update, UPDATED_NEW',
    'update, UPDATED_OLD',
  ],
};

test('the engine answers as moto does', (context) =>
  compareWithMoto(context, {
    play,
    differences,
    async start() {
      const folder = temporaryFolder();
      const failed = (error: Error) => {
        throw error;
      };
      const engine = await runEngine({
        program: findEngine(),
        host: '127.0.0.1',
        folder: folder.path,
        onGivenUp: failed,
      });
      return {
        url: `http://127.0.0.1:${engine.port}`,
        close: () => engine.stop().finally(folder.remove),
      };
    },
  }));
