import { createHash, timingSafeEqual } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { type AddressInfo, connect, createServer, isIP, type Socket } from 'node:net';
import { connect as connectByTls } from 'node:tls';
import { AwsError } from './aws-error.ts';
import type { Asked as AskedOfTable } from './contention/calls.ts';
import type { Admitted, Contention, Instead } from './contention.ts';
import type { Caller, Iam } from './iam.ts';

export interface Address {
  host: string;
  port: number;
}

/** Whom a local server answers: who asks under one of its own names and knows an access key of this system. */
export interface Guarded extends Address {
  /** The owner's, who may do everything. */
  accessKeyId: string;
  /** Knows the keys of functions, and what these may do. */
  iam?: Iam;
}

interface Head {
  host?: string | undefined;
  origin?: string | undefined;
  authorization?: string | undefined;
}

/** Of this machine, and what containers on it call it. Not the port: who forwards one may choose another. */
const ownNames = ['127.0.0.1', 'localhost', 'host.docker.internal'];

/**
 * Why a request is refused, or else who asks. Any website that a developer looks at can send requests to loopback, with the
 * website's name as `Origin`, or as `Host` after it has let that name point here; it cannot know the access key.
 */
export function askedBy({ host = '', origin, authorization = '' }: Head, guarded: Guarded): Asked {
  if (origin !== undefined) return { refusal: 'web pages may not call this server' };
  const name = /^(.*?)(?::\d+)?$/.exec(host)?.[1] ?? '';
  if (![...ownNames, guarded.host].includes(name.toLowerCase()))
    return { refusal: `${name} is not a name of this server` };
  const [, accessKeyId = ''] = /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\//.exec(authorization) ?? [];
  const caller = guarded.iam?.signer(accessKeyId)?.caller;
  if (caller) return { caller: { ...caller, accessKeyId } };
  return isEqual(accessKeyId, guarded.accessKeyId)
    ? {}
    : { refusal: 'the access key is not that of this system, which stands in DATA_DIR/system.json' };
}

/** Neither a refusal nor a caller: it is the owner. */
interface Asked {
  refusal?: string;
  caller?: Caller & { accessKeyId: string };
}

/**
 * Why a browser's request to the panel is refused, or undefined. A website that lets its name point here (DNS rebinding) has that
 * name as `Host`, which no address is; any other has its own as `Origin`.
 */
export function foreignnessOf({ host = '', origin }: Head, own: Pick<Address, 'host'>): string | undefined {
  const name = URL.parse(`http://${host}`)?.hostname ?? '';
  const isOwn = [...ownNames, own.host].includes(name) || isIP(name.replaceAll(/^\[|\]$/g, '')) !== 0;
  if (!isOwn) return 'the panel is not called so on this machine';
  return origin === undefined || URL.parse(origin)?.host === URL.parse(`http://${host}`)?.host
    ? undefined
    : 'other websites may not call the panel';
}

const digest = (text: string) => createHash('sha256').update(text).digest();
const isEqual = (one: string, other: string) => timingSafeEqual(digest(one), digest(other));

const headEnd = '\r\n\r\n';
const maxHeadBytes = 16 * 1024;

export interface Target extends Address {
  isTls?: boolean;
}

/**
 * Puts the guard in front of a DynamoDB that answers anybody. It reads the head of every request, and of a function's, and of one that
 * others may be in the way of, the body, which says what it asks leave for and of which items; it passes everything as the bytes that
 * came, with the owner's access key in place of the function's.
 */
export async function startGuard(
  guarded: Guarded,
  target: Target,
  contention?: Contention,
): Promise<{ url: string; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const track = (socket: Socket) => {
    sockets.add(socket.setNoDelay(true));
    return socket.on('close', () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    track(client);
    const upstream = track(target.isTls ? connectByTls({ ...target, servername: target.host }) : connect(target));
    const admit = admission(guarded, contention);
    const underWay: Admitted[] = [];
    client.on('data', (chunk) => {
      const { passed, instead, calls = [] } = admit(chunk);
      if (instead) {
        upstream.unpipe(client).destroy();
        client.removeAllListeners('data').resume();
        return answer(client, instead);
      }
      underWay.push(...calls);
      const pass = () => {
        if (passed.length > 0 && !upstream.write(passed)) client.pause();
        else client.resume();
      };
      const waitMs = Math.max(0, ...calls.map((call) => call.waitMs));
      if (waitMs === 0) return pass();
      client.pause();
      setTimeout(pass, waitMs);
    });
    upstream.on('drain', () => client.resume());
    upstream.pipe(client);
    if (contention) upstream.on('data', endingCalls(underWay));
    client.on('error', () => client.destroy()).on('close', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
    upstream.on('close', () => {
      for (const call of underWay.splice(0)) call.end();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(guarded.port, guarded.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${guarded.host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** Hears what is answered to the calls of one connection, and ends each: when its answer begins, or when that has said what it costs. */
function endingCalls(underWay: Admitted[]): (chunk: Buffer) => void {
  let heard: Buffer[] = [];
  let leftBytes: number | undefined;
  return (chunk) => {
    const [call] = underWay;
    if (!call) return;
    if (call.isMetered) {
      heard.push(chunk);
      leftBytes = leftBytes === undefined ? leftOfAnswer(Buffer.concat(heard)) : leftBytes - chunk.length;
      if (leftBytes === undefined || leftBytes > 0) return;
    }
    const said = Buffer.concat(heard).toString();
    [heard, leftBytes] = [[], undefined];
    underWay.shift();
    call.end(call.isMetered && said.startsWith('HTTP/1.1 200') ? said.slice(said.indexOf(headEnd)) : undefined);
  };
}

/** How much of an answer is still to come, once its head is there; nothing of one that does not say its length. */
function leftOfAnswer(heard: Buffer): number | undefined {
  const bodyAt = heard.indexOf(headEnd) + headEnd.length;
  if (bodyAt < headEnd.length) return undefined;
  const [, length = '0'] = /^content-length: *(\d+)/im.exec(heard.toString('latin1', 0, bodyAt)) ?? [];
  return bodyAt + Number(length) - heard.length;
}

interface Admission {
  /** What may pass. */
  passed: Buffer;
  /** What is answered to the first request that may not. */
  instead?: Instead;
  /** Those among what passes whose end must be told. */
  calls?: Admitted[];
}

/** Reads the requests of one connection, piece by piece. */
function admission(guarded: Guarded, contention: Contention | undefined) {
  let waiting: Buffer = nothing;
  let bodyBytes = 0;
  return (chunk: Buffer): Admission => {
    if (bodyBytes >= chunk.length) {
      bodyBytes -= chunk.length;
      return { passed: chunk };
    }
    const received = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
    const passed: Buffer[] = [];
    const calls: Admitted[] = [];
    let at = bodyBytes;
    let passedTo = 0;
    bodyBytes = 0;
    let isHead = true;
    while (at < received.length) {
      const end = received.indexOf(headEnd, at);
      if (end === -1) break;
      const bodyAt = end + headEnd.length;
      const { refusal, caller, operation, contentLength } = readHead(received.toString('latin1', at, end), guarded);
      if (refusal !== undefined) return { passed: nothing, instead: unrecognized(refusal) };
      const isWatched = contention?.watches(operation) ?? false;
      if ((caller && guarded.iam) || isWatched) {
        isHead = received.length >= bodyAt + contentLength;
        if (!isHead) break;
        const asked = jsonIn(received.subarray(bodyAt, bodyAt + contentLength));
        if (!asked) return { passed: nothing, instead: refusalOf(illegibleBody) };
        const denial = caller && guarded.iam?.denialOfTable(caller, operation, asked);
        if (denial) return { passed: nothing, instead: refusalOf(denial) };
        if (caller) received.write(guarded.accessKeyId, received.indexOf(caller.accessKeyId, at, 'latin1'), 'latin1');
        const call = isWatched ? contention?.begin(operation, asked) : undefined;
        if (call && 'body' in call) return { passed: nothing, instead: call };
        if (call) calls.push(call);
        if (call?.isMetered && asked.ReturnConsumedCapacity === undefined) {
          passed.push(received.subarray(passedTo, at), metered(received.subarray(at, bodyAt), contentLength));
          passedTo = bodyAt + 1;
        }
      }
      at = bodyAt + contentLength;
    }
    bodyBytes = Math.max(0, at - received.length);
    waiting = received.subarray(at);
    if (isHead && waiting.length > maxHeadBytes) return { passed: waiting, instead: unrecognized(unreadable) };
    const rest = received.subarray(passedTo, at);
    return { passed: passed.length === 0 ? rest : Buffer.concat([...passed, rest]), calls };
  };
}

const costsAsked = '{"ReturnConsumedCapacity":"TOTAL",';

/** The head of a request, and the first byte of its body, as one that asks what it costs. */
function metered(head: Buffer, contentLength: number): Buffer {
  const length = contentLength + costsAsked.length - 1;
  return Buffer.from(
    head.toString('latin1').replace(/^(content-length: *)\d+/im, `$1${length}`) + costsAsked,
    'latin1',
  );
}

function jsonIn(body: Buffer): AskedOfTable | undefined {
  try {
    const asked: unknown = JSON.parse(body.toString());
    return typeof asked === 'object' && asked !== null ? asked : undefined;
  } catch {
    return undefined;
  }
}

const nothing = Buffer.alloc(0);
const unreadable = 'the request cannot be read';
const illegibleBody = new AwsError('SerializationException', 'The body is not a JSON object.');
const unrecognized = (message: string) =>
  refusalOf(new AwsError('UnrecognizedClientException', message, { status: 403 }));
const refusalOf = ({ code, message, status }: AwsError): Instead => ({
  status,
  body: { __type: `com.amazon.coral.service#${code}`, message },
});

type ReadHead = Asked & { operation: string; contentLength: number };
const illegible: ReadHead = { refusal: unreadable, operation: '', contentLength: 0 };

/** What could be read in two ways, a body whose length does not stand in the head among it, is refused. */
function readHead(head: string, guarded: Guarded): ReadHead {
  const [requestLine = '', ...lines] = head.split('\r\n');
  if (requestLine.includes('\n')) return illegible;
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).toLowerCase();
    if (!/^[\w-]+$/.test(name) || line.includes('\n') || headers.has(name)) return illegible;
    headers.set(name, line.slice(colon + 1).trim());
  }
  const length = headers.get('content-length') ?? '0';
  if (!/^\d{1,9}$/.test(length) || headers.has('transfer-encoding')) return illegible;
  const asked = askedBy(
    { host: headers.get('host'), origin: headers.get('origin'), authorization: headers.get('authorization') },
    guarded,
  );
  const operation = headers.get('x-amz-target')?.split('.')[1] ?? '';
  return { ...asked, operation, contentLength: Number(length) };
}

function answer(client: Socket, { status, body }: Instead): void {
  const text = JSON.stringify(body);
  client.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/x-amz-json-1.0\r\nconnection: close\r\n` +
      `content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
}
