import * as v from 'valibot';
import { commands as mails } from '#infra/admin/commands/email.ts';
import { commands as invoices } from '#infra/admin/commands/invoice.ts';
import { commands as keys } from '#infra/admin/commands/key.ts';
import { commands as messages } from '#infra/admin/commands/message.ts';
import { readDemoFile, readSystemFile } from '#infra/local/files.ts';

/** Names as people have them, and as they should not: very long, without a space, invisible, right to left, of emoji, markup. */
const names = [
  ...[
    'Théodora Vance',
    'Jürgen Müller-Lüdenscheidt',
    'Łukasz Żółć',
    'Nguyễn Thị Ánh',
    'Özgür Yıldız',
    'Björn Ångström',
  ],
  ...['Анастасия Преображенская', 'Семён Ёжиков', 'Σωκράτης Παπαδόπουλος', 'محمد عبد الرحمن الخوارزمي', 'دانيال'],
  ...['יעל כהן־לוי', 'अनन्या कृष्णमूर्ति', 'สมชาย ใจดีมากจริงๆ', '田中 美咲', '欧阳娜娜', '김민준', 'Գրիգոր Նարեկացի'],
  ...['ნინო ბერიძე', '👩‍🚀🚀🛰️', 'X', '\u3164', 'Robert"); DROP TABLE contacts;--', '<b>Bold</b> & Sons'],
  'Wolfeschlegelsteinhausenbergerdorffwelchevoralternwarengewissenhaftschaferswessenschafewarenwohlge',
  'Don Pablo Diego José Francisco de Paula Juan Nepomuceno María de los Remedios Cipriano de la Santísima',
  'Zalgo t̸̢̛͓e̷̡͝x̶̧̛t̵̢͠',
] as const;

const lines = [
  ...[
    'Can you send the offer until Friday, please?',
    'السعر 1,200 USD، هل هذا نهائي؟',
    'מתי נוכל לדבר? אני פנוי ב־14:30.',
  ],
  ...['Спасибо, договор получили. Ждём счёт!', '見積書をありがとうございます。来週ご連絡いたします。', '👍👍🏽👍🏿'],
  `https://shop.example/${'a-very-long-path/'.repeat(12)}?id=1`,
  'A long message. '.repeat(40),
  `${'Unbroken'.repeat(30)}`,
] as const;

const titles = [
  ...['Call back', 'Send the revised offer to the purchasing department and ask for a signature', 'Vertrag prüfen'],
  `Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen${'verleihung'.repeat(10)}`,
  ...['準備', 'إرسال العرض', 'Prepare the demo 🚀', 'Позвонить', 'x'],
] as const;

const currencies = ['EUR', 'USD', 'GBP', 'JPY', 'CHF', 'KWD'] as const;
const stages = ['lead', 'qualified', 'proposal', 'negotiation'] as const;
const priorities = ['low', 'medium', 'high'] as const;

const of = <Item>(items: readonly Item[], at: number): Item => items[at % items.length] as Item;

/** Does an operator's command as the command line would. */
const run = <Input extends v.GenericSchema, Answer>(
  { input, run: work }: { input: Input; run(input: v.InferOutput<Input>): Promise<Answer> },
  given: v.InferInput<Input>,
): Promise<Answer> => work(v.parse(input, given));

// biome-ignore lint/suspicious/noExplicitAny: what a call answers is read by name.
type Answer = any;

interface Filling {
  workspaceId: number;
  /** Call the API with a key of every scope in live and no rate limit, and return the body of the answer. */
  get(path: string): Promise<Answer>;
  post(path: string, body: object): Promise<Answer>;
}

const sizes = { contacts: 1000, deals: 66, tasks: 300, transactions: 30, invoices: 18, messages: 260 };

/** Fills the demo's workspace with what a busy team has after a year: many records, hostile texts, six currencies, failing webhooks. */
export async function fillRealistically({ workspaceId, get, post }: Filling): Promise<void> {
  const tenant = { workspaceId, env: 'live' } as const;
  const now = Date.now();
  const inDays = (days: number) => new Date(now + days * 86_400_000).toISOString();
  const batch = async (noun: 'contact' | 'deal' | 'task', number: number, item: (at: number) => object) => {
    const path = `/v1/${noun}s/batch`;
    const ids: number[] = [];
    for (let first = 0; first < number; first += 100) {
      const items = Array.from({ length: Math.min(100, number - first) }, (_, at) => item(first + at));
      const { results } = await post(path, { items });
      for (const result of results) {
        if (result.error) throw new Error(`${path} answers ${JSON.stringify(result.error)}`);
        ids.push(result[noun].id);
      }
    }
    return ids;
  };
  const members: number[] = (await get('/v1/members?limit=100')).items.map(({ id }: { id: number }) => id);
  const contacts = await batch('contact', sizes.contacts, (at) => ({
    op: 'create',
    name: at < 200 ? of(names, at) : `${of(names, at)} ${at}`,
    username: at % 3 === 0 ? `user_${at}` : null,
    phone: at % 2 === 0 ? `+49 (170) ${100 + at}-45-67` : null,
    email: at % 2 === 1 ? `person${at}@example.com` : null,
    company: at % 5 === 0 ? of(['Müller Maschinenbau GmbH', 'Север', `${'Konzern'.repeat(20)}`], at) : null,
  }));
  const deals = await batch('deal', sizes.deals, (at) => ({
    op: 'create',
    title: of(titles, at),
    contactId: of(contacts, at),
    value: at * 12_345,
    currency: of(currencies, at),
    stage: of(stages, at),
    expectedCloseAt: inDays((at % 40) - 5),
    assignedToUserId: of(members, at),
  }));
  await batch('task', sizes.tasks, (at) => ({
    op: 'create',
    title: of(titles, at),
    priority: of(priorities, at),
    // Two in three are due, of these half have been for days; the oldest records are the ones that are late.
    dueAt: at < 100 ? inDays(-30 + at / 5) : at < 200 ? inDays(1 + at / 10) : null,
    assignedToUserId: at % 7 === 0 ? null : of(members, at),
    ...(at % 4 === 0 ? { dealId: of(deals, at) } : { contactId: of(contacts, at) }),
  }));
  for (let at = 0; at < sizes.transactions; at += 1)
    await post('/v1/finance/transactions', {
      type: at % 3 === 0 ? 'expense' : 'income',
      amount: 100 + at * 37,
      currency: of(currencies, at),
      category: of(['Software', 'Consulting', 'Reisekosten und Bewirtung', null], at),
      description: of([...titles, null], at),
      occurredAt: inDays(-of([250, 200, 120, 60, 65, 90, 31, 123, 3], at)),
    });
  for (let at = 0; at < sizes.invoices; at += 1)
    await run(invoices.create, {
      ...tenant,
      contactId: of(contacts, at),
      invoiceNumber: at === 3 ? `${'INV-2026-LONG-'.repeat(4)}0001` : `INV-2026-${String(at).padStart(4, '0')}`,
      status: of(['draft', 'sent', 'sent'] as const, at),
      currency: of(currencies, at),
      total: 1000 + at * 90,
      issueDate: inDays(-40 + at),
      dueDate: inDays(-26 + at * 2),
    });
  await fillMessages(tenant, (await get('/v1/telegram/accounts')).items[0].id, inDays);
  const from = (name: string, address: string) => `${JSON.stringify(name)} <${address}>`;
  for (const [at, [sender, subject]] of [
    [from('Ann Archer', 'ann@archer.example'), 'Re: The offer'],
    [from('Ben Baker', 'ben@baker.example'), 'Eine sehr lange Betreffzeile '.repeat(8)],
    [from('יעל', 'person1@example.com'), 'שאלה'],
    [from('A buyer', 'buyer@elsewhere.example'), 'Quote for 300 seats?'],
    [from('S'.repeat(90), 'stranger2@elsewhere.example'), 'Wolfeschlegelsteinhausen'.repeat(6)],
  ].entries())
    await run(mails.receive, {
      ...tenant,
      raw: [
        `From: ${sender}`,
        'To: crm@demo.example',
        `Subject: ${subject}`,
        `Message-ID: <realistic-${at}-${workspaceId}@elsewhere.example>`,
        'Content-Type: text/plain; charset=utf-8',
        '',
        lines.join('\n\n'),
      ].join('\r\n'),
    });
  // Last, so that nothing of the above is delivered to them.
  for (const [at, path] of ['one', 'two', `${'long/'.repeat(30)}three`].entries())
    await post('/v1/webhooks', {
      url: `http://127.0.0.1:9/${path}`,
      description: of(titles, at + 3),
      eventKinds: ['contact.created'],
    });
  await post('/v1/contacts', { name: 'Whose creation is delivered nowhere' });
}

/** Half of all messages are of one conversation. */
async function fillMessages(
  tenant: { workspaceId: number; env: 'live' },
  accountId: number,
  inDays: (days: number) => string,
): Promise<void> {
  for (let at = 0; at < sizes.messages; at += 1) {
    const person = at % 2 === 0 ? 0 : at % 60;
    await run(messages.receive, {
      ...tenant,
      channel: 'telegram',
      accountId,
      from: { telegramUserId: 700_000 + person, name: of(names, person + 24) },
      body: of(lines, at),
      sentAt: inDays((at - sizes.messages) / 20),
    });
  }
}

/** `node test/panel/realistic.ts` fills the demo of the system that runs from `DATA_DIR`. */
if (import.meta.main) {
  const dataDir = process.env['DATA_DIR'] ?? '.local';
  const { baseUrl, env } = readSystemFile(dataDir);
  Object.assign(process.env, env);
  const { workspaceId } = readDemoFile(dataDir) ?? {};
  if (workspaceId === undefined) throw new Error('there is no demo: start the system without --empty first');
  const given = { workspaceId, env: 'live', scopes: 'all', name: 'Realistic', rateLimitPerMinute: 1_000_000 } as const;
  const { key } = await run(keys.create, given);
  const call = async (path: string, init: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await fetch(new URL(path, baseUrl), { headers, ...init });
    if (!answer.ok) throw new Error(`${path} answers ${answer.status}: ${await answer.text()}`);
    return answer.json();
  };
  await fillRealistically({
    workspaceId,
    get: (path) => call(path, {}),
    post: (path, body) => call(path, { method: 'POST', body: JSON.stringify(body) }),
  });
}
