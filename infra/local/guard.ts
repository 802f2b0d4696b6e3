import { createHash, timingSafeEqual } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { type AddressInfo, connect, createServer, isIP, type Socket } from 'node:net';
import { connect as connectByTls } from 'node:tls';
import type { AwsError } from './aws-error.ts';
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
 * Puts the guard in front of a DynamoDB that answers anybody. It reads the head of every request, and of a function's the body, which
 * says what it asks leave for, and passes everything as the bytes that came, with the owner's access key in place of the function's.
 */
export async function startGuard(guarded: Guarded, target: Target): Promise<{ url: string; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const track = (socket: Socket) => {
    sockets.add(socket.setNoDelay(true));
    return socket.on('close', () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    track(client);
    const upstream = track(target.isTls ? connectByTls({ ...target, servername: target.host }) : connect(target));
    const admit = admission(guarded);
    client.on('data', (chunk) => {
      const { passed, refusal } = admit(chunk);
      if (refusal) {
        upstream.unpipe(client).destroy();
        client.removeAllListeners('data').resume();
        return refuse(client, refusal);
      }
      if (passed.length > 0 && !upstream.write(passed)) client.pause();
    });
    upstream.on('drain', () => client.resume());
    upstream.pipe(client);
    client.on('error', () => client.destroy()).on('close', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
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

/** Reads the requests of one connection; says of each piece what may pass, and of the first request that may not, why. */
function admission(guarded: Guarded) {
  let waiting: Buffer = Buffer.alloc(0);
  let bodyBytes = 0;
  return (chunk: Buffer): { passed: Buffer; refusal?: Refusal } => {
    if (bodyBytes >= chunk.length) {
      bodyBytes -= chunk.length;
      return { passed: chunk };
    }
    const received = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
    let at = bodyBytes;
    bodyBytes = 0;
    let isHead = true;
    while (at < received.length) {
      const end = received.indexOf(headEnd, at);
      if (end === -1) break;
      const bodyAt = end + headEnd.length;
      const { refusal, caller, operation, contentLength } = readHead(received.toString('latin1', at, end), guarded);
      if (refusal !== undefined) return { passed: nothing, refusal: unrecognized(refusal) };
      if (caller && guarded.iam) {
        isHead = received.length >= bodyAt + contentLength;
        if (!isHead) break;
        const body = received.subarray(bodyAt, bodyAt + contentLength);
        const denial = guarded.iam.denialOfTable(caller, operation, body);
        if (denial) return { passed: nothing, refusal: denial };
        received.write(guarded.accessKeyId, received.indexOf(caller.accessKeyId, at, 'latin1'), 'latin1');
      }
      at = bodyAt + contentLength;
    }
    bodyBytes = Math.max(0, at - received.length);
    waiting = received.subarray(at);
    if (isHead && waiting.length > maxHeadBytes) return { passed: waiting, refusal: unrecognized(unreadable) };
    return { passed: received.subarray(0, at) };
  };
}

const nothing = Buffer.alloc(0);
const unreadable = 'the request cannot be read';
type Refusal = Pick<AwsError, 'code' | 'message' | 'status'>;
const unrecognized = (message: string): Refusal => ({ code: 'UnrecognizedClientException', message, status: 403 });

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

function refuse(client: Socket, { code, message, status }: Refusal): void {
  const body = JSON.stringify({ __type: `com.amazon.coral.service#${code}`, message });
  client.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/x-amz-json-1.0\r\nconnection: close\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
