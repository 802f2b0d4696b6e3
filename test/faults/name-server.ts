import { createSocket } from 'node:dgram';

const headerBytes = 12;
/** A response, recursion desired and available, with one question and one answer. */
const header = [0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0];
/** For the name of the question: type A, class IN, to be kept for 0 seconds, 4 bytes. */
const record = [0xc0, headerBytes, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4];

/** A name server on the loopback (RFC 1035) that answers whatever it is asked with the IPv4 address that `answer` returns. */
export async function startNameServer(answer: () => string) {
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const question = query.subarray(headerBytes, query.indexOf(0, headerBytes) + 5);
    const reply = [query.subarray(0, 2), Buffer.from(header), question, Buffer.from(record), bytesOf(answer())];
    socket.send(Buffer.concat(reply), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    port: socket.address().port,
    close: () => new Promise<void>((resolve) => socket.close(resolve)),
  };
}

const bytesOf = (address: string) => Buffer.from(address.split('.').map(Number));
