import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchWriteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import express from 'express';
import { Hono } from 'hono';
import { handle } from 'hono/aws-lambda';
import serverless from 'serverless-http';
import { hashKey } from '#lib/auth/identify-key.ts';
import { documentClient } from '#lib/table/client.ts';
import { atMost, beside, type Line, median } from '#test/bench/report.ts';
import { between } from '#test/between.ts';
import { contactRow } from '#test/contacts/row.ts';

const rounds = 15;
const callsPerRound = 100;

type Handler = (event: never, context: never) => Promise<unknown>;

/**
 * Measures the CPU of a warm create and a warm get with the database stubbed at its socket: the client serialises, signs and parses as
 * ever. The bare handler sends the same commands with nothing around them; Express and Hono do what it does.
 */
export async function warmCpu(): Promise<Line[]> {
  Object.assign(process.env, {
    TABLE_NAME: 'bench',
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'x',
    AWS_SECRET_ACCESS_KEY: 'x',
  });
  stubbed(documentClient());
  const marshallOptions = { removeUndefinedValues: true };
  table = stubbed(DynamoDBDocumentClient.from(new DynamoDBClient({}), { marshallOptions }));
  const [{ handler: create }, { handler: get }] = await Promise.all([
    import('#functions/contacts/create.ts'),
    import('#functions/contacts/get.ts'),
  ]);
  sentBy.create = await sentFor(create as Handler, createEvent());
  sentBy.get = await sentFor(get as Handler, getEvent());
  const creates: Record<string, Handler> = {
    ours: create as Handler,
    bare: bareCreate as Handler,
    express: expressApp() as Handler,
    hono: honoApp() as Handler,
  };
  const gets: Record<string, Handler> = {
    ours: get as Handler,
    bare: bareGet as Handler,
    express: creates['express'] as Handler,
    hono: creates['hono'] as Handler,
  };
  // The log lines are made but not shown.
  const write = process.stdout.write;
  process.stdout.write = () => true;
  const [createMs, getMs] = [await compare(creates, createEvent()), await compare(gets, getEvent())];
  process.stdout.write = write;
  const times = (of: Record<string, number>) =>
    Object.entries(of)
      .map(([name, ms]) => `${name} ${(ms * 1000).toFixed(0)}`)
      .join(', ');
  const over = (of: Record<string, number>) => (of['ours'] as number) / (of['bare'] as number);
  return [
    atMost('CPU of a warm create / bare handler', over(createMs), 1.3, 'x', `${times(createMs)} µs`),
    beside('CPU of a warm get / bare handler', `${over(getMs).toFixed(2)}x (${times(getMs)} µs)`),
  ];
}

async function compare(handlers: Record<string, Handler>, event: object): Promise<Record<string, number>> {
  const samples = new Map(Object.keys(handlers).map((name) => [name, [] as number[]]));
  for (let round = 0; round < rounds + 3; round += 1) {
    for (const [name, handler] of Object.entries(handlers)) {
      const before = process.cpuUsage();
      for (let call = 0; call < callsPerRound; call += 1) {
        const answer = await run(handler, event);
        if (answer.statusCode >= 300) throw new Error(`${name} answers ${JSON.stringify(answer)}`);
      }
      const { user, system } = process.cpuUsage(before);
      if (round >= 3) samples.get(name)?.push((user + system) / 1000 / callsPerRound);
    }
  }
  return Object.fromEntries([...samples].map(([name, values]) => [name, median(values)]));
}

const run = async (handler: Handler, event: object) =>
  (await handler(
    structuredClone(event) as never,
    { awsRequestId: '1', getRemainingTimeInMillis: () => 10_000 } as never,
  )) as { statusCode: number };

/** Makes a command of a call. */
type Sent = () => GetCommand;
const sentBy: Record<'create' | 'get', readonly Sent[]> = { create: [], get: [] };

const commands: Record<string, new (input: never) => object> = {
  BatchWriteItem: BatchWriteCommand,
  GetItem: GetCommand,
  PutItem: PutCommand,
  Query: QueryCommand,
  TransactWriteItems: TransactWriteCommand,
  UpdateItem: UpdateCommand,
};

/** Returns what a handler sends for a request. */
async function sentFor(handler: Handler, event: object): Promise<Sent[]> {
  const sent: Sent[] = [];
  const step: Parameters<typeof between>[0] = ({ operation, input }, next) => {
    const Command = commands[operation];
    if (Command === undefined) throw new Error(`no command for ${operation}`);
    sent.push(() => new Command(input as never) as GetCommand);
    return next();
  };
  await between(step, () => run(handler, event));
  return sent;
}

const key = `csk_live_${'a'.repeat(12)}${'b'.repeat(32)}`;
const storedKey = {
  id: 1,
  keyId: 'a'.repeat(12),
  workspaceId: 1,
  name: 'bench',
  env: 'live',
  hash: hashKey(key),
  scopes: ['contacts:read', 'contacts:write'],
  ipAllowlist: [],
  rateLimitPerMinute: 1_000_000,
  lastUsedAt: null,
  lastUsedIp: null,
  expiresAt: null,
  createdByKeyId: null,
  createdAt: '2026-01-01T00:00:00Z',
  revokedAt: null,
  window: 0,
  used: 1,
};
const storedContact = {
  pk: '1:live#contact',
  sk: '0000000001',
  v: 1,
  ...contactRow({
    name: 'Ann Example',
    username: 'ann',
    phone: '+1 555 0100',
    email: 'ann@example.com',
    company: 'Acme',
  }),
};

/** A client whose requests are built, serialised and signed as ever and answered from memory instead of a socket. */
function stubbed(client: DynamoDBDocumentClient): DynamoDBDocumentClient {
  client.middlewareStack.add(
    () => async (args) => {
      const { headers, body } = args.request as { headers: Record<string, string>; body: Uint8Array };
      const answer = answerTo(headers['x-amz-target']?.split('.')[1], new TextDecoder().decode(body));
      return {
        response: { statusCode: 200, headers: {}, body: Buffer.from(JSON.stringify(answer)) },
      } as never;
    },
    { step: 'deserialize', priority: 'low' },
  );
  return client;
}

const stored = { key: marshall(storedKey), contact: marshall(storedContact) };

function answerTo(operation: string | undefined, body: string): Record<string, unknown> {
  if (operation === 'GetItem') return { Item: stored.contact };
  if (operation === 'Query') return { Items: [], Count: 0 };
  if (operation !== 'UpdateItem') return {};
  return { Attributes: body.includes('KEY#') ? stored.key : marshall({ contact: 7, activity: 9 }) };
}

let table: DynamoDBDocumentClient;
const http = (method: string, path: string) => ({
  http: { method, path, sourceIp: '127.0.0.1', protocol: 'HTTP/1.1', userAgent: 'bench' },
  stage: '$default',
});
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', host: 'localhost' };
const createEvent = () => ({
  version: '2.0',
  routeKey: 'POST /v1/contacts',
  rawPath: '/v1/contacts',
  rawQueryString: '',
  headers,
  isBase64Encoded: false,
  requestContext: http('POST', '/v1/contacts'),
  body: JSON.stringify({
    name: 'Ann Example',
    username: 'ann',
    phone: '+1 555 0100',
    email: 'ann@example.com',
    company: 'Acme',
  }),
});
const getEvent = () => ({
  version: '2.0',
  routeKey: 'GET /v1/contacts/{id}',
  rawPath: '/v1/contacts/1',
  rawQueryString: '',
  headers,
  isBase64Encoded: false,
  pathParameters: { id: '1' },
  requestContext: http('GET', '/v1/contacts/1'),
});

/** Sends what a handler of ours sends for the same request, one command after the other, and looks who calls. */
async function replay(sent: readonly Sent[], authorization: string | undefined): Promise<Record<string, unknown>> {
  let answer: Record<string, unknown> = {};
  for (const command of sent) answer = { ...answer, ...(await table.send(command())) };
  if (hashKey(String(authorization).slice(7)) !== storedKey.hash) throw new Error('who is it');
  return answer;
}

async function store(contact: Record<string, unknown>, authorization: string | undefined) {
  await replay(sentBy.create, authorization);
  return { ...contact, id: 7, createdAt: new Date().toISOString() };
}

const load = async (authorization: string | undefined) => (await replay(sentBy.get, authorization))['Item'];

async function bareCreate(event: { headers: Record<string, string>; body: string }) {
  const contact = await store(JSON.parse(event.body), event.headers['authorization']);
  return { statusCode: 201, headers: { 'content-type': 'application/json' }, body: JSON.stringify(contact) };
}

async function bareGet(event: { headers: Record<string, string> }) {
  const contact = await load(event.headers['authorization']);
  return { statusCode: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(contact) };
}

function expressApp(): Handler {
  const app = express();
  app.use(express.json());
  app.post('/v1/contacts', async (request, response) => {
    response.status(201).json(await store(request.body, request.headers.authorization));
  });
  app.get('/v1/contacts/:id', async (request, response) => {
    response.json(await load(request.headers.authorization));
  });
  return serverless(app) as unknown as Handler;
}

function honoApp(): Handler {
  const app = new Hono();
  app.post('/v1/contacts', async ({ req, json }) =>
    json(await store(await req.json(), req.header('authorization')), 201),
  );
  app.get('/v1/contacts/:id', async ({ req, json }) => json((await load(req.header('authorization'))) as object));
  return handle(app) as unknown as Handler;
}
