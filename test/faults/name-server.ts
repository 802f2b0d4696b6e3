import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';

const headerBytes = 12;
const codes = { NOERROR: 0, SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 };
const types: Record<number, string> = { 1: 'A', 2: 'NS', 28: 'AAAA' };

interface Question {
  /** Without the last dot: that of the root is empty. */
  name: string;
  type: string;
}

/** Addresses of the family asked for, none being no data; an error; or silence. */
type Answer = readonly string[] | Exclude<keyof typeof codes, 'NOERROR'> | undefined;

/** A name server on the loopback (RFC 1035) that answers as it is told, with nothing to be kept. */
export async function startNameServer(answer: (question: Question) => Answer) {
  const asked: Question[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const nameEnd = query.indexOf(0, headerBytes) + 1;
    const question = { name: nameOf(query), type: types[query.readUInt16BE(nameEnd)] ?? '' };
    asked.push(question);
    const answered = answer(question);
    if (answered === undefined) return;
    const isError = typeof answered === 'string';
    const records = isError ? [] : answered.map(recordOf);
    // A response, recursion desired and available; one question.
    const header = [0x81, 0x80 + codes[isError ? answered : 'NOERROR'], 0, 1, 0, records.length, 0, 0, 0, 0];
    const asIs = query.subarray(headerBytes, nameEnd + 4);
    socket.send(Buffer.concat([query.subarray(0, 2), Buffer.from(header), asIs, ...records]), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    port: socket.address().port,
    asked,
    close: () => new Promise<void>((resolve) => socket.close(resolve)),
  };
}

function nameOf(query: Buffer): string {
  const labels: string[] = [];
  for (let at = headerBytes, length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return labels.join('.');
}

/** For the name of the question: type, class IN, 0 seconds, its length, the address. */
function recordOf(address: string): Buffer {
  const isOf6 = isIPv6(address);
  const bytes = isOf6 ? bytesOf6(address) : Buffer.from(address.split('.').map(Number));
  const beginning = [0xc0, headerBytes, 0, isOf6 ? 28 : 1, 0, 1, 0, 0, 0, 0, 0, bytes.length];
  return Buffer.concat([Buffer.from(beginning), bytes]);
}

/** With one `::` at most. */
function bytesOf6(address: string): Buffer {
  const [before = [], after = []] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = new Array(8 - before.length - after.length).fill('0');
  return Buffer.from([...before, ...zeros, ...after].map((group) => group.padStart(4, '0')).join(''), 'hex');
}
