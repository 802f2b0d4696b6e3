import { type AddressInfo, createServer, type Socket } from 'node:net';

type Answering = (socket: Socket) => void;

/** Answers every request in the way given, byte for byte; counts its connections. */
export async function startRawServer(answer: Answering) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let request = '';
    socket
      .on('error', () => {})
      .on('data', (bytes) => {
        request += bytes;
        if (!/\r\n\r\n(\{\})?$/.test(request)) return;
        request = '';
        answer(socket);
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    get connections() {
      return sockets.size;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const ok = 'HTTP/1.1 200 OK\r\n';
const far = 1_000_000;

/** Answers whose headers are far longer than any may be. */
export const overlong: [what: string, answer: string][] = [
  ['short lines', `${ok}${'a:\r\n'.repeat(far / 4)}\r\n`],
  ['one long line', `${ok}a: ${'x'.repeat(far)}\r\n\r\n`],
  ['trailers', `${ok}Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n${'a:\r\n'.repeat(far / 4)}\r\n`],
];

/** Answers that go on without headers or a body. */
export const endless: [what: string, answer: string][] = [
  ['a reason', `HTTP/1.1 500 ${'x'.repeat(far)}`],
  ['interim answers', 'HTTP/1.1 103 Early\r\n\r\n'.repeat(far / 22)],
];
