import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import * as v from 'valibot';
import { loadRoutes } from '#infra/functions.ts';
import type { Demo } from '#infra/local/files.ts';
import type { Caller } from '#lib/core/caller.ts';
import { dayMs, hourMs, shifted } from '#lib/core/clock.ts';
import { scopes } from '#lib/core/scopes.ts';
import { type Environment, environments } from '#lib/core/tenant.ts';
import type { Endpoint } from '#lib/http/endpoint.ts';
import { execute } from '#lib/http/operation.ts';

const owner = 'Olivia Owner';

/** Fills a new system with a workspace in which every list shows something, in both environments. */
export async function createDemo(): Promise<Demo> {
  const { id: workspaceId } = await admin('workspace', 'create', { name: 'Demo', currency: 'EUR' });
  const people = [];
  for (const [name, role] of [
    [owner, 'owner'],
    ['Max Member', 'member'],
  ] as const) {
    people.push((await admin('member', 'create', { workspaceId, email: emailOf(name, workspaceId), name, role })).id);
  }
  const keys = new Map<Environment, { keyId: string; key: string }>();
  for (const env of environments) {
    keys.set(env, await admin('key', 'create', { workspaceId, env, scopes: 'all', name: `Demo ${env}` }));
  }
  const handlers = await loadHandlers();
  for (const env of environments) {
    const keyId = keys.get(env)?.keyId as string;
    const caller: Caller = {
      tenant: { workspaceId, env },
      actor: { type: 'api_key', id: keyId },
      keyId,
      scopes,
      ipAllowlist: [],
      rateLimitPerMinute: 600,
      expiresAt: null,
      ip: '127.0.0.1',
    };
    await fill({ workspaceId, env, people, call: calling(handlers, caller) });
  }
  return { workspaceId, liveKey: keys.get('live')?.key as string, testKey: keys.get('test')?.key as string };
}

/** Each demo has people of its own: a person's sessions and settings are the same in all of their workspaces. */
const emailOf = (name: string, workspaceId: number) =>
  `${name.split(' ')[0]?.toLowerCase()}@demo-${workspaceId}.example`;

/** Returns the address of the owner of a demo. */
export const ownerEmail = (workspaceId: number) => emailOf(owner, workspaceId);

/** Returns a link that signs a developer in to the panel of the demo, as its owner. */
export async function signInLinkOf(workspaceId: number): Promise<string> {
  const { link } = await admin('member', 'sign-in-link', { workspaceId, email: ownerEmail(workspaceId) });
  return link;
}

// biome-ignore lint/suspicious/noExplicitAny: what a command or a call answers is read by name, as a script would.
type Answer = any;

/** An operator's command, as `npm run admin` runs it. */
async function admin(noun: string, verb: string, input: Record<string, unknown>): Promise<Answer> {
  const { commands } = (await import(`#infra/admin/commands/${noun}.ts`)) as {
    commands: Record<string, { input: v.GenericSchema; run(input: unknown): Promise<unknown> }>;
  };
  const command = commands[verb];
  if (!command) throw new Error(`there is no command ${noun} ${verb}`);
  return command.run(v.parse(command.input, input));
}

async function loadHandlers(): Promise<Map<string, Endpoint>> {
  const routes = await loadRoutes();
  const loaded = routes.map(async ({ file, route }) => {
    const { handler } = (await import(pathToFileURL(file).href)) as { handler: Endpoint };
    return [`${route.method} ${route.path}`, handler] as const;
  });
  return new Map(await Promise.all(loaded));
}

type Call = (operation: string, input?: { path?: Record<string, number>; body?: unknown }) => Promise<Answer>;

/** An operation of the API as the demo key's owner calls it, without the way through HTTP. */
function calling(handlers: ReadonlyMap<string, Endpoint>, caller: Caller): Call {
  return async (operation, { path = {}, body = {} } = {}) => {
    const handler = handlers.get(operation);
    if (!handler) throw new Error(`there is no operation ${operation}`);
    const [method = '', template = ''] = operation.split(' ');
    const texts = Object.fromEntries(Object.entries(path).map(([name, id]) => [name, String(id)]));
    const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => texts[name] ?? '');
    const facts = { requestId: randomUUID(), method, path: filled, ip: caller.ip, userAgent: 'demo' };
    const reply = await execute(handler.operation, caller, { path: texts, query: {}, body }, facts);
    return JSON.parse(reply.body);
  };
}

interface Filling {
  workspaceId: number;
  env: Environment;
  people: number[];
  call: Call;
}

/** One environment: what a small sales team has after its first weeks. */
async function fill({ workspaceId, env, people, call }: Filling): Promise<void> {
  const tenant = { workspaceId, env };
  const [owner, member] = people;
  const now = new Date();
  const inDays = (days: number) => shifted(now, days * dayMs);

  const bot = await admin('telegram-account', 'create', {
    ...tenant,
    kind: 'bot',
    // Telegram knows no such bot.
    inbound: 'off',
    name: 'Sales bot',
    username: 'demo_sales_bot',
    botToken: '1000001:demo-token',
  });
  const x = await admin('twitter-account', 'create', {
    ...tenant,
    // Nor X.
    inbound: 'off',
    name: 'Demo on X',
    username: 'demo_crm',
    accessToken: 'demo-token',
  });

  const ann = await call('POST /v1/contacts', {
    body: {
      name: 'Ann Archer',
      username: 'ann_archer',
      phone: '+49 30 5550101',
      email: 'ann@archer.example',
      company: 'Archer GmbH',
    },
  });
  const ben = await call('POST /v1/contacts', {
    body: { name: 'Ben Baker', email: 'ben@baker.example', phone: '+44 20 5550102', company: 'Baker & Sons' },
  });
  const cleo = await call('POST /v1/contacts', {
    body: { platform: 'twitter', name: 'Cleo Chen', username: 'cleo_chen' },
  });
  const archer = await call('POST /v1/companies', { body: { name: 'Archer GmbH', website: 'https://archer.example' } });
  await call('PUT /v1/contacts/{id}/companies', {
    path: { id: ann.id },
    body: { items: [{ companyId: archer.id, title: 'Managing Director' }] },
  });
  await call('POST /v1/contacts/{id}/tags', { path: { id: ann.id }, body: { tagName: 'VIP' } });
  await call('POST /v1/contacts/{id}/tags', { path: { id: ben.id }, body: { tagName: 'Newsletter' } });
  await call('POST /v1/contacts/{id}/stage', { path: { id: ann.id }, body: { stage: 'qualified' } });
  await call('POST /v1/contacts/{id}/assignee', { path: { id: ann.id }, body: { userId: owner } });
  await call('POST /v1/contacts/{id}/lead-score', { path: { id: ann.id }, body: { score: 80 } });
  await call('POST /v1/contacts/{id}/activities', {
    path: { id: ann.id },
    body: { text: 'Met at the spring fair; wants an offer for ten seats.' },
  });

  await admin('message', 'receive', {
    ...tenant,
    channel: 'telegram',
    accountId: bot.id,
    from: { telegramUserId: 500_001, username: 'ann_archer', name: 'Ann Archer' },
    body: 'Hello! Is the offer ready?',
  });
  await admin('message', 'receive', {
    ...tenant,
    channel: 'twitter',
    accountId: x.id,
    from: { twitterUserId: '600001', username: 'cleo_chen', name: 'Cleo Chen' },
    body: 'Do you integrate with our shop?',
  });
  await call('POST /v1/telegram/messages', {
    body: { accountId: bot.id, contactId: ann.id, text: 'Happy new year, Ann!', runAt: inDays(40) },
  });
  await call('POST /v1/twitter/messages', {
    body: { accountId: x.id, contactId: cleo.id, text: 'Shall we talk next month?', runAt: inDays(30) },
  });

  const seats = await call('POST /v1/deals', {
    body: {
      title: 'Ten seats',
      contactId: ann.id,
      value: 4900,
      currency: 'EUR',
      stage: 'proposal',
      expectedCloseAt: inDays(20),
    },
  });
  await call('POST /v1/deals', { body: { title: 'Pilot', contactId: ben.id, value: 900, currency: 'GBP' } });
  const won = await call('POST /v1/deals', {
    body: { title: 'Workshop', contactId: ben.id, value: 1200, currency: 'GBP', stage: 'negotiation' },
  });
  await admin('deal', 'win', { ...tenant, id: won.id });
  await call('POST /v1/tasks', {
    body: { title: 'Send the offer', dealId: seats.id, priority: 'high', dueAt: inDays(2), assignedToUserId: owner },
  });
  const call1 = await call('POST /v1/tasks', {
    body: { title: 'Call Ben', contactId: ben.id, dueAt: inDays(-1), assignedToUserId: member },
  });
  await call('POST /v1/tasks/{id}/status', { path: { id: call1.id }, body: { status: 'inprogress' } });

  const invoice = { ...tenant, currency: 'EUR', issueDate: inDays(-20) };
  await admin('invoice', 'create', {
    ...invoice,
    contactId: ann.id,
    invoiceNumber: 'D-1001',
    status: 'sent',
    total: 1190,
    dueDate: inDays(10),
  });
  const paid = await admin('invoice', 'create', {
    ...invoice,
    contactId: ben.id,
    invoiceNumber: 'D-1002',
    status: 'sent',
    total: 238.5,
    dueDate: inDays(5),
  });
  await call('POST /v1/finance/invoices/{id}/paid', { path: { id: paid.id } });
  await call('POST /v1/finance/transactions', {
    body: { type: 'expense', amount: 79.9, currency: 'EUR', category: 'software', description: 'Design tool' },
  });
  await admin('revenue-source', 'create', {
    ...tenant,
    name: 'Shop',
    mode: 'push',
    feedUrl: 'https://shop.demo.example/revenue.json',
    defaultCurrency: 'EUR',
    pullIntervalMinutes: 1440,
  });

  const mail = (from: string, subject: string, text: string) =>
    [
      `From: ${from}`,
      'To: crm@demo.example',
      `Subject: ${subject}`,
      `Date: ${new Date(now.getTime() - hourMs).toUTCString()}`,
      `Message-ID: <${randomUUID()}@demo.example>`,
      'Content-Type: text/plain; charset=utf-8',
      '',
      text,
    ].join('\r\n');
  await admin('email', 'receive', {
    ...tenant,
    raw: mail('Ben Baker <ben@baker.example>', 'The pilot', 'Can we start on Monday?\n\nBen'),
  });
  await admin('email', 'receive', {
    ...tenant,
    raw: mail('A stranger <stranger@elsewhere.example>', 'A question', 'What does it cost?'),
  });

  const sequence = await admin('sequence', 'create', {
    ...tenant,
    name: 'Follow-up',
    channel: 'telegram',
    accountId: bot.id,
    steps: [
      { delayMinutes: 14 * 24 * 60, text: 'Did you have a look at our offer?' },
      { delayMinutes: 21 * 24 * 60, text: 'Shall we talk?' },
    ],
    status: 'active',
  });
  await admin('sequence', 'enroll', { ...tenant, id: sequence.id, contactId: ann.id });
  await admin('agent', 'create', {
    ...tenant,
    name: 'Qualifier',
    instructions: 'Answer briefly. Ask for the number of seats.',
    model: 'amazon.nova-lite-v1:0',
    channels: ['telegram'],
    accountIds: [bot.id],
  });
}

if (import.meta.main) {
  const [{ existing }] = (await once(process, 'message')) as [{ existing?: Demo }];
  const demo = existing ?? (await createDemo());
  const link = await signInLinkOf(demo.workspaceId);
  process.send?.({ demo, link }, () => process.exit());
}
