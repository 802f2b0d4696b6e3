import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { connect as connectByTls } from 'node:tls';
import { type Address, type Guarded, refusalOf } from '../guard.ts';

export interface Target extends Address {
  isTls?: boolean;
}

/** Is told each request: its head, and its body. */
export type Listener = (head: string, body: Buffer) => void;

const headEnd = '\r\n\r\n';
const maxHeadBytes = 16 * 1024;

/**
 * Puts a guard in front of a DynamoDB that answers anybody. It admits a connection by the head of its first request, for a connection is
 * of one program, and passes all bytes as they come.
 */
export async function startGuard(
  guarded: Guarded,
  target: Target,
  hear: Listener,
): Promise<{ url: string; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const track = (socket: Socket) => {
    sockets.add(socket.setNoDelay(true));
    return socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    track(client);
    let first = Buffer.alloc(0);
    client.on('data', function admit(chunk) {
      first = Buffer.concat([first, chunk]);
      const end = first.indexOf(headEnd);
      if (end === -1 && first.length < maxHeadBytes) return;
      client.off('data', admit).pause();
      const refusal = refusalOf(headersIn(first.toString('latin1', 0, Math.max(end, 0))), guarded);
      if (refusal !== undefined) return refuse(client, refusal);
      const upstream = track(target.isTls ? connectByTls({ ...target, servername: target.host }) : connect(target));
      client.on('close', () => upstream.destroy());
      upstream.on('close', () => client.destroy());
      client.on('data', requestsIn(hear));
      client.unshift(first);
      client.pipe(upstream).pipe(client);
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

/** The headers of a request; those that stand there twice say nothing. */
function headersIn(head: string): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of head.split('\r\n').slice(1)) {
    const [name = '', ...value] = line.split(':');
    const key = name.toLowerCase();
    headers[key] = key in headers ? '' : value.join(':').trim();
  }
  return headers;
}

/** Takes the bytes of a connection apart into its requests. */
function requestsIn(hear: Listener): (chunk: Buffer) => void {
  let waiting: Buffer = Buffer.alloc(0);
  return (chunk) => {
    waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
    for (let end = waiting.indexOf(headEnd); end !== -1; end = waiting.indexOf(headEnd)) {
      const head = waiting.toString('latin1', 0, end);
      const bodyAt = end + headEnd.length;
      const bodyEnd = bodyAt + Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
      if (waiting.length < bodyEnd) return;
      hear(head, waiting.subarray(bodyAt, bodyEnd));
      waiting = waiting.subarray(bodyEnd);
    }
  };
}

function refuse(client: Socket, message: string): void {
  const text = JSON.stringify({ __type: 'com.amazon.coral.service#UnrecognizedClientException', message });
  client
    .resume()
    .end(
      `HTTP/1.1 403 Forbidden\r\ncontent-type: application/x-amz-json-1.0\r\nconnection: close\r\n` +
        `content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
    );
}
