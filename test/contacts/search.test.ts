import { beforeAll, describe, expect, test } from 'vitest';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
const ids = new Map<string, number>();

const people: Record<string, object> = {
  phone: { name: 'Phone', phone: '+49 (170) 123-45-67' },
  trunk: { name: 'Trunk', phone: '+44 (0)20 7946-0958' },
  london: { name: 'London', phone: '+44 20 7946 0999' },
  paris: { name: 'Paris', phone: '+33 (0)6 12 34 56 78' },
  jose: { name: 'José Müller', username: 'janedoe77' },
  lodz: { name: 'Łódź Øystein Æther' },
  semyon: { name: 'Семён Йод' },
  obrien: { name: 'Pat O’Brien' },
  spaces: { name: 'Jane  Double   Spa\u00a0ces' },
  hidden: { name: 'Hid\u200bden So\u00adft' },
  hebrew: { name: 'שָׁלוֹם' },
  mueller: { name: 'Mueller Manuel' },
};

beforeAll(async () => {
  workspace = await newWorkspace();
  for (const [who, body] of Object.entries(people))
    ids.set(who, (await workspace.live.post('/v1/contacts', body, 201)).body.id);
});

const found = async (query: Record<string, string>, path = '/v1/contacts') => {
  const { body } = await workspace.live.get(path, query, 200);
  return body.items.map(({ id }: { id: number }) => [...ids].find(([, one]) => one === id)?.[0]);
};

describe('q finds', () => {
  test.each([
    ['phone', '+491701234567'],
    ['phone', '491701234567'],
    ['phone', '1701234567'],
    ['phone', '170 123'],
    ['phone', '0170 123 45 67'],
    ['phone', '0170/1234567'],
    ['phone', '00491701234567'],
    ['phone', '+49.170.1234567'],
    ['phone', '(170) 123-45-67'],
    ['phone', '٠١٧٠١٢٣٤٥٦٧'],
    ['phone', 'phone 4567'],
    ['trunk', '+442079460958'],
    ['london', '020 7946 0999'],
    ['london', '(020) 7946-0999'],
    ['london', '020 / 7946 0999'],
    ['london', '0044 20 7946 0999'],
    ['london', '+44 (0) 20 7946 0999'],
    ['london', 'london 020 7946'],
    ['paris', '06 12 34 56 78'],
    ['paris', '06.12.34.56.78'],
    ['paris', '0033 6 12 34 56 78'],
    ['paris', '06 12 34, paris'],
    ['paris', '56 78'],
    ['jose', 'jose'],
    ['jose', 'JOSE\u0301'],
    ['jose', 'muller'],
    ['jose', 'mueller jose'],
    ['jose', 'Müller, José'],
    ['jose', '@janedoe77'],
    ['jose', 'doe77  @jane'],
    ['lodz', 'lodz'],
    ['lodz', 'oystein'],
    ['lodz', 'aether lodz'],
    ['semyon', 'Семен'],
    ['semyon', 'семён'],
    ['obrien', "o'brien"],
    ['obrien', 'O`Brien'],
    ['obrien', 'OʼBRIEN pat'],
    ['spaces', ' jane  double  '],
    ['spaces', 'double spa\u00a0ces jane'],
    ['hidden', 'hidden soft'],
    ['hebrew', 'שלום'],
    ['mueller', 'Müller'],
    ['mueller', 'manuel'],
    ['mueller', 'manue'],
  ])('%s by %s', async (who, q) => {
    expect(await found({ q })).toContain(who);
  });

  test.each(['иод', 'jose nobody', '0170 999', 'doe@jane', '0799', '06 12 34 56 79'])('nobody by %s', async (q) => {
    expect(await found({ q })).toEqual([]);
  });

  test('deals and tasks by words without accents, in any order', async () => {
    const { body: deal } = await workspace.live.post('/v1/deals', { title: 'Café “Größe” renewal' }, 201);
    const { body: task } = await workspace.live.post('/v1/tasks', { title: 'Visit the café' }, 201);
    const idsOf = async (path: string, q: string) =>
      (await workspace.live.get(path, { q }, 200)).body.items.map(({ id }: { id: number }) => id);
    expect(await idsOf('/v1/deals', 'renewal cafe')).toEqual([deal.id]);
    expect(await idsOf('/v1/tasks', 'CAFE visit')).toEqual([task.id]);
  });

  test('as many words as fit a query', async () => {
    const words = Array.from({ length: 66 }, (_, index) => `0${index}`.slice(-2)).join(' ');
    expect(await found({ q: words })).toEqual([]);
  });
});

describe('a phone is the same', () => {
  test.each(['00491701234567', '+49/170/1234567', '+49.170.1234567', 'tel:+49-170-1234567', '+٤٩١٧٠١٢٣٤٥٦٧'])(
    'for the filter: %s',
    async (phone) => {
      expect(await found({ phone })).toEqual(['phone']);
    },
  );

  test.each(['00491701234567', '+49.170.1234567', '\u202a+49\u00a0170\u20111234567\u202c'])(
    'for upsert: %s',
    async (phone) => {
      const { status, body } = await workspace.live.post('/v1/contacts/upsert', { matchOn: 'phone', phone });
      expect([status, body.id]).toEqual([200, ids.get('phone')]);
    },
  );

  test('for duplicates', async () => {
    const { body } = await workspace.live.post('/v1/contacts', { name: 'Twin', phone: '0044 20 79460958' }, 201);
    const { body: page } = await workspace.live.get(`/v1/contacts/${ids.get('trunk')}/duplicates`, undefined, 200);
    expect(page.items.map(({ id }: { id: number }) => id)).toEqual([body.id]);
  });
});

describe('a value of a contact', () => {
  test.each([
    'A <a@b.de>',
    'mailto:a@b.de',
    'a@b.de.',
    'a b@c.de',
    'a@b.de, c@d.de',
    'a@b.de;c@d.de',
    '"a b"@c.de',
    '<a@b.de>',
    'a@b..de',
    'a@.de',
    'a@b\u200b.de',
    'a.b.de',
  ])('is no e-mail address: %s', async (email) => {
    const { status, body } = await workspace.live.post('/v1/contacts', { name: 'Mail', email });
    expect([status, body.details.fields]).toEqual([
      400,
      [expect.objectContaining({ field: 'email', code: 'invalid_format' })],
    ]);
  });

  test.each(["o'neil+tag@b-c.co.uk", 'jörg@müller.example', 'ada@localhost', '用户@例え。jp'])(
    'is an e-mail address: %s',
    async (email) => {
      expect((await workspace.live.post('/v1/contacts', { name: 'Mail', email }, 201)).body.email).toBe(email);
    },
  );

  const unseen = ['\u3164', '\u200b', '\u2800', '\u00ad', '\u202e\u202c', ' \u2060\ufeff', '\u{e0020}'];
  test.each([
    ['/v1/contacts', 'name', {}],
    ['/v1/tags', 'name', {}],
    ['/v1/deals', 'title', {}],
    ['/v1/tasks', 'title', {}],
    ['/v1/files', 'fileName', { sizeBytes: 1, contentType: 'text/plain' }],
    ['/v1/telegram/messages', 'text', { accountId: 1, contactId: 1 }],
  ])('at %s as its %s may not show nothing', async (path, field, others) => {
    for (const value of unseen) {
      const { status, body } = await workspace.live.post(path, { ...others, [field]: value });
      expect([status, body.details?.fields?.map((one: { field: string }) => one.field)], JSON.stringify(value)).toEqual(
        [400, [field]],
      );
    }
  });

  test('loses its bidirectional controls where it is a name', async () => {
    const { body: contact } = await workspace.live.post('/v1/contacts', { name: '\u202eabc\u200f' }, 201);
    const { body: tag } = await workspace.live.post('/v1/tags', { name: 'x\u2066y' }, 201);
    expect([contact.name, tag.name]).toEqual(['abc', 'xy']);
  });
});

describe('an amount', () => {
  test.each([
    ['JPY', 100.55, 'must have no decimals in JPY'],
    ['XAF', 0.5, 'must have no decimals in XAF'],
    ['EUR', 1.234, 'must have at most 2 decimals in EUR'],
    ['KWD', 1.2345, 'must have at most 3 decimals in KWD'],
    ['UYW', 1.23456, 'must have at most 4 decimals'],
  ])('in %s is refused when it is %d', async (currency, value, message) => {
    const deal = await workspace.live.post('/v1/deals', { title: 'A', currency, value });
    const transaction = await workspace.live.post('/v1/finance/transactions', {
      ...{ type: 'income', currency, amount: value },
    });
    for (const [answer, field] of [[deal, 'value'] as const, [transaction, 'amount'] as const])
      expect([answer.status, answer.body.details.fields]).toEqual([
        400,
        [{ field, code: 'invalid_format', message: `${field} ${message}` }],
      ]);
  });

  test.each([
    ['JPY', 101],
    ['EUR', 1.23],
    ['KWD', 1.234],
    ['CLF', 0.0123],
  ])('in %s may be %d and is summed exactly', async (currency, amount) => {
    const { live } = await newWorkspace();
    for (const _ of [1, 2]) await live.post('/v1/finance/transactions', { type: 'income', currency, amount }, 201);
    const { body } = await live.get('/v1/finance/summary', { currency }, 200);
    expect(body.totals[0]).toMatchObject({ currency, income: 2 * amount });
    const { body: deal } = await live.post('/v1/deals', { title: 'A', value: amount, currency }, 201);
    await live.patch(`/v1/deals/${deal.id}`, { currency: 'JPY' }, Number.isInteger(amount) ? 200 : 400);
  });
});
