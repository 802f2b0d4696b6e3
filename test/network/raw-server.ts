import { type AddressInfo, createServer, Socket } from 'node:net';
import { vi } from 'vitest';

type Answering = (socket: Socket) => void;

/** Answers every request in the way given, byte for byte; counts its connections and what the client at their other ends is given of it. */
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
  let bytesRead = 0;
  const { read } = Socket.prototype;
  const reading = vi.spyOn(Socket.prototype, 'read').mockImplementation(function (this: Socket, size) {
    const bytes = read.call(this, size);
    if (this.remotePort === port && bytes !== null) bytesRead += bytes.length;
    return bytes;
  });
  return {
    url: `http://127.0.0.1:${port}`,
    get connections() {
      return sockets.size;
    },
    get bytesRead() {
      return bytesRead;
    },
    async [Symbol.asyncDispose]() {
      reading.mockRestore();
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const ok = 'HTTP/1.1 200 OK\r\n';
const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`;
const far = 1_000_000;

/** Answers that are not their bodies' worth, each far longer than any may be. */
export const overlong: [what: string, answer: string, error: RegExp][] = [
  ['short lines', `${ok}${'a:\r\n'.repeat(far / 4)}\r\n`, /^the headers of the answer are more than 512 lines$/],
  ['one long line', `${ok}a: ${'x'.repeat(far)}\r\n\r\n`, /^the headers of the answer are larger than 16384 bytes$/],
  ['a reason that goes on', `HTTP/1.1 500 ${'x'.repeat(far)}\r\n\r\n`, /^the headers .* larger than 16384 bytes$/],
  ['interim answers', 'HTTP/1.1 103 Early\r\n\r\n'.repeat(far / 22), /^the headers .* more than 512 lines$/],
  ['trailers', `${chunked}2\r\nok\r\n0\r\n${'a:\r\n'.repeat(far / 4)}\r\n`, /^the headers .* more than 512 lines$/],
  [
    'an extension of a chunk',
    `${chunked}2;${'x'.repeat(far)}\r\nok\r\n0\r\n\r\n`,
    /^the headers .* larger than 16384 bytes$/,
  ],
  [
    'an extension of every chunk',
    `${chunked}${`1;${'x'.repeat(1000)}\r\nx\r\n`.repeat(far / 1000)}0\r\n\r\n`,
    /^the headers .* larger than 16384 bytes$/,
  ],
  [
    'chunks of a byte',
    `${chunked}${'1\r\nx\r\n'.repeat(far)}0\r\n\r\n`,
    /^the answer comes in more than 10486 chunks$/,
  ],
];
