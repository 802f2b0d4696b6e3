import { constants, createHash, createPrivateKey, generateKeyPairSync, privateDecrypt, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { Long, type mtp, type tl } from '@mtcute/core';
import {
  __tlReaderMap,
  __tlWriterMap,
  createAesIgeForMessage,
  generateKeyAndIvFromNonce,
  parsePublicKey,
  TlBinaryReader,
  TlBinaryWriter,
} from '@mtcute/core/utils.js';
import { NodeCrypto } from '#lib/channels/telegram/crypto.ts';

/** An object of the schema. */
export type Answer = { _: string } & Record<string, unknown>;

type Said = Answer | true | undefined;

/** A call as the client made it, without what wraps the first one of a connection. */
export type Call = tl.RpcMethod;

/** Whoever calls: a connection with the key that it has proved to have. */
export interface Line {
  keyId: string;
  drop(): void;
}

const crypto = new NodeCrypto();
await crypto.initialize();

export const refusal = (errorCode: number, errorMessage: string): Answer => ({
  _: 'mt_rpc_error',
  errorCode,
  errorMessage,
});

/** An RSA key as a data centre has it, and as the client is told it (PKCS #1). */
export interface ServerKey {
  privateKey: string;
  publicKey: string;
}

export function newServerKey(): ServerKey {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = {
    privateKey: privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
    publicKey: publicKey.export({ type: 'pkcs1', format: 'der' }).toString('base64'),
  };
  // mtcute looks a key up by its fingerprint as a number, without leading zeros, and would not find this one.
  return fingerprintOf(key).startsWith('0') ? newServerKey() : key;
}

const fingerprintOf = ({ publicKey }: ServerKey) =>
  parsePublicKey(crypto, `-----BEGIN RSA PUBLIC KEY-----\n${publicKey}\n-----END RSA PUBLIC KEY-----`).fingerprint;

/**
 * MTProto 2 over real TCP, as https://core.telegram.org/mtproto has it: keys are made by the exchange of Diffie and Hellman, messages
 * are encrypted with them, and calls are read by Telegram's own schema. Undefined is no answer.
 */
export async function startMtproto(
  answer: (call: Call, line: Line) => Said | Promise<Said>,
  { authKeys = [], serverKey }: { authKeys?: readonly Buffer[]; serverKey?: ServerKey } = {},
) {
  const keys = new Map(authKeys.map((key) => [keyIdOf(key), key]));
  const seen = { live: 0, maxLive: 0 };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    seen.live += 1;
    seen.maxLive = Math.max(seen.maxLive, seen.live);
    socket.on('close', () => {
      sockets.delete(socket);
      seen.live -= 1;
    });
    socket.on('error', () => socket.destroy());
    const handshake = serverKey && new Handshake(serverKey, (key) => keys.set(keyIdOf(key), key));
    receiveFrames(socket, (frame) => {
      const keyId = frame.subarray(0, 8).toString('hex');
      if (/^0+$/.test(keyId)) {
        const said = handshake?.answer(frame.subarray(20));
        if (said) send(socket, plain(said));
        return;
      }
      const key = keys.get(keyId);
      if (key) new Exchange(socket, key, frame).handle((call) => answer(call, { keyId, drop: () => socket.destroy() }));
      else socket.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(resolve);
      }),
  };
}

export const keyIdOf = (key: Uint8Array) => createHash('sha1').update(key).digest().subarray(-8).toString('hex');

const boolTrue = Buffer.from('b5757299', 'hex');
const serialised = (answer: Answer | true) =>
  answer === true ? boolTrue : TlBinaryWriter.serializeObject(__tlWriterMap, answer as never);

function send(socket: Socket, ...parts: Uint8Array[]) {
  const body = Buffer.concat(parts);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(body.length);
  if (!socket.destroyed) socket.write(Buffer.concat([length, body]));
}

/** A message before there is a key. */
function plain(answer: Answer): Buffer {
  const body = serialised(answer);
  const head = Buffer.alloc(20);
  head.writeBigInt64LE(nextMessageId(), 8);
  head.writeUInt32LE(body.length, 16);
  return Buffer.concat([head, body]);
}

/** The prime of Telegram's servers, which clients need not test. */
export const dhPrime = BigInt(
  `0xC71CAEB9C6B1C9048E6C522F70F13F73980D40238E3E21C14934D037563D930F48198A0AA7C14058229493D22530F4DBFA336F6E0AC925139543AED44CCE7C3720FD51F69458705AC68CD4FE6B6B13ABDC9746512969328454F18FAF8C595F642477FE96BB2A941D5BCD1D4AC8CC49880708FA9B378E3C4F3A9060BEE67CF9A4A4A695811051907E162753B56B0F6B410DBA74D8A84B2A14B3144E0EF1284754FD17ED950D5965B4B9DD46582DB1178D169C6BC465B0D6FF9CA3928FEF5B9AE4E418FC15E83EBEA0F87FA9FF5EED70050DED2849F47BF959D956850CE929851F0D8115F635B105EE2E4E15D04B2454BF6F4FADF034B10403119CD8E3B92FCC5B`,
);

export function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let [square, left] = [base % dhPrime, exponent]; left > 0n; left >>= 1n) {
    if (left & 1n) result = (result * square) % dhPrime;
    square = (square * square) % dhPrime;
  }
  return result;
}

export const bytesOf = (number: bigint, length = 256) =>
  Buffer.from(number.toString(16).padStart(2 * length, '0'), 'hex');
export const numberOf = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
const sha256 = (data: Uint8Array) => createHash('sha256').update(data).digest();
const sha1 = (data: Uint8Array) => createHash('sha1').update(data).digest();

/** How a key is made: https://core.telegram.org/mtproto/auth_key. */
class Handshake {
  readonly #serverKey: ServerKey;
  readonly #keep: (key: Buffer) => void;
  readonly #serverNonce = randomBytes(16);
  /** Long enough for a test, and soon raised to. */
  readonly #secret = numberOf(randomBytes(32));
  #newNonce: Buffer = Buffer.alloc(0);

  constructor(serverKey: ServerKey, keep: (key: Buffer) => void) {
    this.#serverKey = serverKey;
    this.#keep = keep;
  }

  answer(body: Buffer): Answer | undefined {
    const said = new TlBinaryReader(__tlReaderMap, body).object() as mtp.TlObject;
    const serverNonce = this.#serverNonce;
    switch (said._) {
      case 'mt_req_pq_multi': {
        const fingerprint = Long.fromString(fingerprintOf(this.#serverKey), true, 16);
        const pq = bytesOf(1_229_739_323n * 1_402_015_859n, 8);
        return { _: 'mt_resPQ', nonce: said.nonce, serverNonce, pq, serverPublicKeyFingerprints: [fingerprint] };
      }
      case 'mt_req_DH_params': {
        this.#newNonce = this.#nonceIn(said.encryptedData);
        const inner = serialised({
          _: 'mt_server_DH_inner_data',
          nonce: said.nonce,
          serverNonce,
          g: 3,
          dhPrime: bytesOf(dhPrime),
          gA: bytesOf(power(3n, this.#secret)),
          serverTime: Math.floor(Date.now() / 1000),
        });
        const data = Buffer.concat([sha1(inner), inner]);
        const padded = Buffer.concat([data, randomBytes((16 - (data.length % 16)) % 16)]);
        return {
          _: 'mt_server_DH_params_ok',
          nonce: said.nonce,
          serverNonce,
          encryptedAnswer: this.#cipher().encrypt(padded),
        };
      }
      case 'mt_set_client_DH_params': {
        const data = this.#cipher().decrypt(said.encryptedData);
        const inner = new TlBinaryReader(__tlReaderMap, data, 20).object() as mtp.RawMt_client_DH_inner_data;
        const key = bytesOf(power(numberOf(inner.gB), this.#secret));
        this.#keep(key);
        const newNonceHash1 = sha1(Buffer.concat([this.#newNonce, Buffer.from([1]), sha1(key).subarray(0, 8)]));
        return { _: 'mt_dh_gen_ok', nonce: said.nonce, serverNonce, newNonceHash1: newNonceHash1.subarray(4) };
      }
      default:
        return undefined;
    }
  }

  #cipher() {
    const [key, iv] = generateKeyAndIvFromNonce(crypto, this.#serverNonce, this.#newNonce);
    return crypto.createAesIge(key, iv);
  }

  /** RSA_PAD, undone. */
  #nonceIn(encrypted: Uint8Array): Buffer {
    const key = createPrivateKey(this.#serverKey.privateKey);
    const padded = privateDecrypt({ key, padding: constants.RSA_NO_PADDING }, encrypted);
    const data = padded.subarray(32);
    const hash = sha256(data);
    const temporary = Buffer.from(padded.subarray(0, 32).map((byte, index) => byte ^ (hash[index] as number)));
    const opened = Buffer.from(crypto.createAesIge(temporary, Buffer.alloc(32)).decrypt(data));
    const inner = new TlBinaryReader(__tlReaderMap, opened.subarray(0, 192).toReversed()).object() as {
      newNonce: Uint8Array;
    };
    return Buffer.from(inner.newNonce);
  }
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

type AnswerOf = (call: Call) => Said | Promise<Said>;

/** One encrypted message of the client and the answers to what it holds. */
class Exchange {
  readonly #socket: Socket;
  readonly #authKey: Buffer;
  readonly #head: Buffer;
  readonly #message: Buffer;

  constructor(socket: Socket, authKey: Buffer, frame: Buffer) {
    const messageKey = frame.subarray(8, 24);
    const opened = Buffer.from(createAesIgeForMessage(crypto, authKey, messageKey, true).decrypt(frame.subarray(24)));
    this.#socket = socket;
    this.#authKey = authKey;
    this.#head = opened.subarray(0, 16);
    this.#message = opened.subarray(16);
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
      this.#write(serialised({ _: 'mt_pong', msgId: Long.fromBytesLE([...id]), pingId: reader.long() }));
    } else if (kind !== 0x62d6b459) {
      this.#call(id, body, answerOf);
    }
  }

  #call(id: Buffer, body: Buffer, answerOf: AnswerOf) {
    const call = callIn(new TlBinaryReader(__tlReaderMap, body));
    const said = call ? answerOf(call) : refusal(400, 'METHOD_UNKNOWN');
    if (said instanceof Promise) void said.then((late) => this.#answer(id, late));
    else this.#answer(id, said);
  }

  #answer(id: Buffer, answer: Said) {
    if (!answer) return;
    const head = Buffer.alloc(4);
    head.writeUInt32LE(0xf35c6d01);
    this.#write(Buffer.concat([head, id, serialised(answer)]));
  }

  #write(body: Uint8Array) {
    const head = Buffer.alloc(16);
    head.writeBigInt64LE(nextMessageId());
    head.writeUInt32LE(1, 8);
    head.writeUInt32LE(body.length, 12);
    const padding = 12 + ((16 - ((this.#head.length + head.length + body.length + 12) % 16)) % 16);
    const open = Buffer.concat([this.#head, head, body, randomBytes(padding)]);
    const digest = sha256(Buffer.concat([this.#authKey.subarray(96, 128), open]));
    const messageKey = digest.subarray(8, 24);
    const encrypted = createAesIgeForMessage(crypto, this.#authKey, messageKey, false).encrypt(open);
    send(this.#socket, Buffer.from(keyIdOf(this.#authKey), 'hex'), messageKey, encrypted);
  }
}

interface Argument {
  name: string;
  type: string;
  typeModifiers?: { predicate?: string; isVector?: boolean };
}

const schema = JSON.parse(
  readFileSync(
    createRequire(import.meta.url)
      .resolve('@mtcute/core')
      .replace(/[^/]*$/, 'tl/api-schema.json'),
    'utf8',
  ),
) as { e: { kind: string; name: string; id: number; arguments: Argument[] }[] };
const methods = new Map(schema.e.filter(({ kind }) => kind === 'method').map((method) => [method.id, method]));

const camelCase = (name: string) => name.replaceAll(/_([a-zA-Z])/g, (_, letter: string) => letter.toUpperCase());

/** The call that a message holds, by the schema; undefined for a method that is none. */
function callIn(reader: TlBinaryReader): Call | undefined {
  const method = methods.get(reader.uint());
  if (!method) return undefined;
  const call: Record<string, unknown> = { _: method.name };
  for (const { name, type, typeModifiers: { predicate, isVector = false } = {} } of method.arguments) {
    const [flags, bit] = predicate?.split('.') ?? [];
    const isThere = flags === undefined || (Number(call[flags]) & (1 << Number(bit))) !== 0;
    if (type === 'true') call[camelCase(name)] = isThere;
    else if (name === 'query' && isThere) return callIn(reader);
    else if (isThere)
      call[camelCase(name)] = isVector ? reader.vector(() => valueIn(reader, type)) : valueIn(reader, type);
  }
  return call as never;
}

function valueIn(reader: TlBinaryReader, type: string): unknown {
  switch (type) {
    case '#':
      return reader.uint();
    case 'int':
      return reader.int();
    case 'int53':
      return reader.int53();
    case 'long':
      return reader.long();
    case 'string':
      return reader.string();
    case 'bytes':
      return reader.bytes();
    case 'Bool':
      return reader.boolean();
    default:
      return reader.object();
  }
}

let lastMessageId = 0n;
const nextMessageId = () => {
  const now = ((BigInt(Date.now()) << 32n) / 1000n) & ~3n;
  lastMessageId = (now > lastMessageId ? now : lastMessageId + 4n) & ~3n;
  return lastMessageId | 1n;
};
