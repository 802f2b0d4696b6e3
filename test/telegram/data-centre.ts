import { createHash, randomBytes } from 'node:crypto';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { Long, type mtp, type tl } from '@mtcute/core';
import {
  __tlWriterMap,
  createAesIgeForMessage,
  TlBinaryReader,
  TlBinaryWriter,
  writeStringSession,
} from '@mtcute/core/utils.js';
import { NodeCrypto } from '#lib/channels/telegram/crypto.ts';

/** How the centre treats one message: an error, or a connection that breaks before or after it is stored. */
export type Treatment = { code: number; error: string } | { drop: 'before' | 'after' };

type Answer = tl.TlObject | mtp.TlObject;

const crypto = new NodeCrypto();

/** Somebody who can be resolved by username. */
export const person = { userId: 4711, username: 'maria', accessHash: Long.fromString('123456789012345678') };

/**
 * A data centre of Telegram over real TCP, whose key the client has already: enough of MTProto 2 for a session that resolves names
 * and sends text. A repeated random id is not stored again.
 */
export async function startDataCentre() {
  const authKey = randomBytes(256);
  const stored = new Map<string, { userId: number; text: string }>();
  const treatments: Treatment[] = [];
  const seen = { sends: 0, resolves: 0, live: 0, maxLive: 0 };

  const server = createServer((socket) => {
    seen.live += 1;
    seen.maxLive = Math.max(seen.maxLive, seen.live);
    socket.on('close', () => {
      seen.live -= 1;
    });
    socket.on('error', () => socket.destroy());
    receiveFrames(socket, (frame) => new Exchange(socket, authKey, frame).handle(answerOf));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  function answerOf(method: number, reader: TlBinaryReader, socket: Socket): Answer | undefined {
    switch (method) {
      case 0xc4f9186b:
        return { _: 'mt_rpc_error', errorCode: 500, errorMessage: 'NO_CONFIG' };
      case 0x725afbbc:
        reader.uint();
        seen.resolves += 1;
        return resolved(reader.string());
      case 0xfef48f62:
        return sendMessage(reader, socket);
      default:
        return { _: 'mt_rpc_error', errorCode: 400, errorMessage: 'METHOD_UNKNOWN' };
    }
  }

  function sendMessage(reader: TlBinaryReader, socket: Socket): Answer | undefined {
    reader.uint();
    reader.uint();
    const userId = reader.int53();
    const accessHash = reader.long();
    const text = reader.string();
    const randomId = reader.long().toString();
    seen.sends += 1;
    const treatment = treatments.shift();
    if (treatment && 'error' in treatment)
      return { _: 'mt_rpc_error', errorCode: treatment.code, errorMessage: treatment.error };
    if (!accessHash.equals(person.accessHash))
      return { _: 'mt_rpc_error', errorCode: 400, errorMessage: 'PEER_ID_INVALID' };
    if (treatment?.drop === 'before') {
      socket.destroy();
      return undefined;
    }
    if (stored.has(randomId)) return { _: 'mt_rpc_error', errorCode: 500, errorMessage: 'RANDOM_ID_DUPLICATE' };
    stored.set(randomId, { userId, text });
    if (treatment) socket.destroy();
    return { _: 'updateShortSentMessage', id: stored.size, pts: 1, ptsCount: 1, date: 0 };
  }

  const main = { id: 2, ipAddress: '127.0.0.1', port };
  return {
    session: writeStringSession({ version: 3, primaryDcs: { main, media: main }, authKey }),
    seen,
    stored: () => [...stored.values()],
    treat: (...next: Treatment[]) => treatments.push(...next),
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

function resolved(username: string): Answer {
  if (username.toLowerCase() !== person.username)
    return { _: 'mt_rpc_error', errorCode: 400, errorMessage: 'USERNAME_NOT_OCCUPIED' };
  return {
    _: 'contacts.resolvedPeer',
    peer: { _: 'peerUser', userId: person.userId },
    chats: [],
    users: [{ _: 'user', id: person.userId, accessHash: person.accessHash, firstName: 'Maria' }],
  };
}

/** The intermediate transport: a tag once, then frames behind their length. */
function receiveFrames(socket: Socket, handle: (frame: Buffer) => void) {
  let buffer = Buffer.alloc(0);
  let isTagged = false;
  socket.on('data', (chunk) => {
    buffer = Buffer.concat([buffer, chunk]);
    if (!isTagged && buffer.length >= 4) {
      isTagged = true;
      buffer = buffer.subarray(4);
    }
    while (isTagged && buffer.length >= 4 && buffer.length >= 4 + buffer.readUInt32LE(0)) {
      const length = buffer.readUInt32LE(0);
      handle(Buffer.from(buffer.subarray(4, 4 + length)));
      buffer = buffer.subarray(4 + length);
    }
  });
}

type AnswerOf = (method: number, reader: TlBinaryReader, socket: Socket) => Answer | undefined;

/** One encrypted message of the client and the answers to what it holds. */
class Exchange {
  readonly #socket: Socket;
  readonly #authKey: Buffer;
  readonly #head: Buffer;
  readonly #message: Buffer;

  constructor(socket: Socket, authKey: Buffer, frame: Buffer) {
    const messageKey = frame.subarray(8, 24);
    const plain = Buffer.from(createAesIgeForMessage(crypto, authKey, messageKey, true).decrypt(frame.subarray(24)));
    this.#socket = socket;
    this.#authKey = authKey;
    this.#head = plain.subarray(0, 16);
    this.#message = plain.subarray(16);
  }

  handle(answerOf: AnswerOf) {
    const id = this.#message.subarray(0, 8);
    const length = this.#message.readUInt32LE(12);
    this.#open(id, this.#message.subarray(16, 16 + length), answerOf);
  }

  #open(id: Buffer, body: Buffer, answerOf: AnswerOf) {
    const reader = TlBinaryReader.manual(body);
    const kind = reader.uint();
    if (kind === 0x73f1f8dc) {
      for (let left = reader.uint(); left > 0; left -= 1) {
        const innerId = Buffer.from(reader.raw(8));
        reader.uint();
        this.#open(innerId, Buffer.from(reader.raw(reader.uint())), answerOf);
      }
    } else if (kind === 0x3072cfa1) {
      this.#open(id, gunzipSync(reader.bytes()), answerOf);
    } else if (kind === 0xf3427b8c || kind === 0x7abe77ec) {
      this.#send({ _: 'mt_pong', msgId: Long.fromBytesLE([...id]), pingId: reader.long() });
    } else if (kind !== 0x62d6b459) {
      this.#call(id, body, answerOf);
    }
  }

  #call(id: Buffer, body: Buffer, answerOf: AnswerOf) {
    const reader = TlBinaryReader.manual(body);
    const answer = answerOf(methodOf(reader), reader, this.#socket);
    if (!answer) return;
    const head = Buffer.alloc(4);
    head.writeUInt32LE(0xf35c6d01);
    this.#write(Buffer.concat([head, id, serialised(answer)]));
  }

  #send(answer: Answer) {
    this.#write(serialised(answer));
  }

  #write(body: Uint8Array) {
    const head = Buffer.alloc(16);
    head.writeBigInt64LE(nextMessageId());
    head.writeUInt32LE(1, 8);
    head.writeUInt32LE(body.length, 12);
    const padding = 12 + ((16 - ((this.#head.length + head.length + body.length + 12) % 16)) % 16);
    const plain = Buffer.concat([this.#head, head, body, randomBytes(padding)]);
    const digest = createHash('sha256').update(this.#authKey.subarray(96, 128)).update(plain).digest();
    const messageKey = digest.subarray(8, 24);
    const encrypted = createAesIgeForMessage(crypto, this.#authKey, messageKey, false).encrypt(plain);
    const keyId = createHash('sha1').update(this.#authKey).digest().subarray(-8);
    const length = Buffer.alloc(4);
    length.writeUInt32LE(keyId.length + messageKey.length + encrypted.length);
    if (!this.#socket.destroyed) this.#socket.write(Buffer.concat([length, keyId, messageKey, encrypted]));
  }
}

/** The method, without what wraps the first call of a connection. */
function methodOf(reader: TlBinaryReader): number {
  const id = reader.uint();
  if (id === 0xda9b0d0d) reader.uint();
  else if (id === 0xc1cd5ea9) {
    const flags = reader.uint();
    reader.uint();
    for (let texts = 6; texts > 0; texts -= 1) reader.string();
    if (flags !== 0) throw new Error('the client says more about itself than this centre reads');
  } else if (id !== 0xbf9459b7) return id;
  return methodOf(reader);
}

const serialised = (answer: Answer) => TlBinaryWriter.serializeObject(__tlWriterMap, answer);

let lastMessageId = 0n;
const nextMessageId = () => {
  const now = ((BigInt(Date.now()) << 32n) / 1000n) & ~3n;
  lastMessageId = (now > lastMessageId ? now : lastMessageId + 4n) & ~3n;
  return lastMessageId | 1n;
};
