import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { now } from '#lib/core/clock.ts';
import { formOf, spent, type XCommand, XDouble } from '#test/twitter/x-double.ts';
import { BotDouble, type FileAtTelegram, received, type SentFile } from './bot-double.ts';

/** How the double treats one request; without any it answers as the provider does when all is well. */
export interface Reaction {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  /** The connection breaks instead: before the message is stored, or after. */
  drop?: 'before' | 'after';
  /** The message is stored at once, and the answer comes so much later. */
  lateMs?: number;
  /** Which call is treated so, where it is not one that sends: a method of the Bot API, or a path of X (`dm_events`). */
  method?: string;
}

/** One message that the double has stored. */
export interface Stored {
  to: string;
  text: string;
  at: number;
  method?: string;
  files?: SentFile[];
  /** Whatever else was said of it. */
  parameters?: Record<string, unknown>;
}

/** What the double knows of one token, so that tests do not disturb each other. */
interface Line {
  reactions: Reaction[];
  stored: Stored[];
  requests: number;
  /** Of Telegram's bots. */
  bot: BotDouble;
  /** Of X's users. */
  x: XDouble;
}

/** What a test has a bot do, besides what it reacts with. */
interface Command {
  reactions?: Reaction[];
  tell?: Record<string, unknown>[];
  /** The updates have ids already. */
  asIs?: boolean;
  isRevoked?: boolean;
  /** Another server takes the bot's messages. */
  webhookUrl?: string;
  post?: string;
  x?: XCommand;
  /** Files that people have sent it, by their ids. */
  files?: Record<string, FileAtTelegram>;
}

/**
 * Telegram's Bot API and X's direct messages over real HTTP, told apart by path and by token. Tests program it at
 * `/double/<token>`: POST appends reactions, GET answers with what arrived.
 */
export async function startDouble(): Promise<{ url: string; close(): Promise<void> }> {
  const lines = new Map<string, Line>();
  const lineOf = (token: string): Line => {
    const line = lines.get(token) ?? {
      reactions: [],
      stored: [],
      requests: 0,
      bot: new BotDouble(1_000_000 + lines.size),
      x: new XDouble(lines.size, token),
    };
    lines.set(token, line);
    return line;
  };
  const server = createServer((request, response) => {
    handle(request, response, { lines, lineOf }).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => closeAll(server) };
}

interface Lines {
  lines: Map<string, Line>;
  lineOf(token: string): Line;
}

async function handle(request: IncomingMessage, response: ServerResponse, known: Lines) {
  const { lineOf } = known;
  const [, first = '', ...rest] = (request.url ?? '').split('/');
  if (first === 'file') {
    const [bot = '', ...path] = rest;
    await lineOf(bot.slice(3)).bot.serve(path.join('/'), response);
    return;
  }
  if (/^multipart\//.test(request.headers['content-type'] ?? '')) {
    const line = lineOf(first.slice(3));
    const [method = ''] = rest;
    const reaction = line.reactions[0];
    // It breaks before it has read anything.
    if (reaction?.drop === 'before') {
      line.requests += 1;
      line.reactions.shift();
      request.socket.destroy();
      return;
    }
    const { fields, files } = await received(request);
    const refusal = line.bot.refusal(method, fields, files);
    if (refusal) answer(response, refusal.status, refusal.body);
    else
      react(
        request,
        response,
        line,
        String(fields['chat_id']),
        fields['caption'] ?? captionOf(fields),
        telegramAnswer,
        { method, files, parameters: fields },
      );
    return;
  }
  const form = await formOf(request);
  if (form) return giveTokens(request, response, known, form);
  const body = request.method === 'POST' ? ((await json(request)) as Record<string, unknown>) : {};
  if (first === 'double') {
    const line = lineOf(rest[0] as string);
    const posted = await command(line, body as Command);
    const { issue } = (body as Command).x ?? {};
    if (issue) known.lines.set(issue, line);
    const { bot, x, ...shown } = line;
    const { me, webhook, calls, pending } = bot;
    answer(response, 200, { ...shown, me, webhook, calls, pending, posted, x });
    return;
  }
  if (first.startsWith('bot')) {
    const line = lineOf(first.slice(3));
    const [method = ''] = rest;
    const next = method === 'sendMessage' ? undefined : line.reactions[0];
    if (next?.method === method) react(request, response, line, method, '', () => ({ ok: true, result: true }));
    else {
      const given = await line.bot.answer(method, body);
      if (given) answer(response, given.status, given.body);
      else {
        const { chat_id: to, text, ...parameters } = body;
        const more = Object.keys(parameters).length > 0 ? { parameters } : {};
        react(request, response, line, String(to), text, telegramAnswer, more);
      }
    }
    return;
  }
  answerX(request, response, known, body);
}

function answerX(request: IncomingMessage, response: ServerResponse, { lineOf }: Lines, body: Record<string, unknown>) {
  const token = (request.headers.authorization ?? '').replace('Bearer ', '');
  const line = lineOf(token);
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
  const path = pathname.replace('/2/', '');
  const [noun, , ...rest] = path.split('/');
  if (line.reactions[0]?.method === path) return react(request, response, line, path, '', () => ({}));
  const given = line.x.answer(token, path, searchParams);
  if (given) return answer(response, given.status, given.body, given.headers);
  const [to = ''] = rest;
  if (noun === 'users' && rest[1] === 'page') response.end('<html>');
  else if (noun === 'users')
    answer(response, 200, rest[1] === 'nobody' ? { errors: [{}] } : { data: { id: '987654321' } });
  else {
    const text = String(body['text']);
    const made = () => ({
      data: {
        dm_conversation_id: `${to}-${line.x.me.id}`,
        dm_event_id: line.x.write({ to: { id: to }, text }),
      },
    });
    react(request, response, line, to, text, made, { okStatus: 201 });
  }
}

/** X's two operations on tokens, which name the one they are about in a form. */
function giveTokens(request: IncomingMessage, response: ServerResponse, { lines }: Lines, form: URLSearchParams) {
  const path = (request.url ?? '').replace('/2/', '');
  const token = form.get('refresh_token') ?? form.get('token') ?? '';
  const line = [...lines.values()].find(({ x }) => x.hasIssued(token) || x.isGood(token));
  if (!line) {
    const { status, body } = spent();
    return answer(response, status, body);
  }
  line.x.calls[path] = (line.x.calls[path] ?? 0) + 1;
  const { authorization } = request.headers;
  const given = () => {
    if (path === 'oauth2/revoke') return line.x.revoke(form, authorization);
    const renewal = line.x.renew(form, authorization);
    if (renewal.token) lines.set(renewal.token, line);
    return renewal.answer;
  };
  const reaction = line.reactions[0]?.method === path ? line.reactions.shift() : undefined;
  if (reaction?.drop === 'before') request.socket.destroy();
  else if (reaction?.drop === 'after') {
    given();
    request.socket.destroy();
  } else if (reaction?.status) answer(response, reaction.status, reaction.body, reaction.headers);
  else {
    const { status, body } = given();
    setTimeout(() => answer(response, status, body), reaction?.lateMs ?? 0);
  }
}

/** Of an album: what stands at its first picture. */
const captionOf = ({ media }: Record<string, string>) =>
  media === undefined ? '' : ((JSON.parse(media) as { caption?: string }[])[0]?.caption ?? '');

async function command(line: Line, { reactions, tell, asIs, isRevoked, webhookUrl, post, files, x }: Command) {
  for (const [id, file] of Object.entries(files ?? {})) line.bot.files.set(id, file);
  line.reactions.push(...(reactions ?? []));
  if (isRevoked !== undefined) line.bot.isRevoked = isRevoked;
  if (webhookUrl !== undefined)
    line.bot.webhook = { url: webhookUrl, secretToken: 'x', allowedUpdates: [], maxConnections: 1 };
  const told = (tell ?? []).map((update) => line.bot.tell(update, asIs));
  const written = x ? line.x.command(x) : [];
  return { told, written, statuses: post === undefined ? [] : await line.bot.post(post) };
}

let lastMessageId = 1_000_000;

function telegramAnswer() {
  lastMessageId += 1;
  return { ok: true, result: { message_id: lastMessageId } };
}

function react(
  request: IncomingMessage,
  response: ServerResponse,
  line: Line,
  to: string,
  text: unknown,
  make: () => unknown,
  { okStatus = 200, ...more }: Pick<Stored, 'method' | 'files' | 'parameters'> & { okStatus?: number } = {},
) {
  line.requests += 1;
  const { status = okStatus, headers = {}, body, drop, lateMs = 0 } = line.reactions.shift() ?? {};
  const isStored = status === okStatus && drop !== 'before';
  const made = isStored ? make() : undefined;
  if (isStored) line.stored.push({ to, text: String(text), at: now(), ...more });
  if (drop) request.socket.destroy();
  else setTimeout(() => answer(response, status, body === undefined ? made : body, headers), lateMs);
}

function answer(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

async function closeAll(server: Server) {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
