import { createHash, pbkdf2Sync, randomBytes } from 'node:crypto';
import { Long, type tl } from '@mtcute/core';
import { writeStringSession } from '@mtcute/core/utils.js';
import { epochSeconds } from '#lib/core/clock.ts';
import { FileStore, shown } from '#test/telegram/file-store.ts';
import {
  type Answer,
  bytesOf,
  type Call,
  dhPrime,
  keyIdOf,
  type Line,
  numberOf,
  power,
  refusal,
  type ServerKey,
  startMtproto,
} from '#test/telegram/mtproto.ts';

/** How the centre treats one message: an error, a connection that breaks before or after it is stored, or as usual. */
export type Treatment = { code: number; error: string } | { drop: 'before' | 'after' } | { pass: true };

/** Somebody who can be resolved by username. */
export const person = { userId: 4711, username: 'maria', accessHash: Long.fromString('123456789012345678') };

/** What the account has sent somebody. */
interface Sent {
  userId: number;
  text: string;
  file?: ReturnType<typeof shown>;
  /** Of those that left together. */
  album?: string;
}

interface Options {
  id?: number;
  /** Those of another centre, too. */
  files?: FileStore;
  serverKey?: ServerKey;
  /** Of the one whose account it is. */
  password?: string;
}

const maxCaptionCharacters = 1024;
const maxAlbumFiles = 10;

let lastUserId = 700_000;

/**
 * A data centre of Telegram over real TCP with the account of one user: enough for one who logs in by code and password, resolves
 * names and sends text. A repeated random id is not stored again. The words of refusals are those of
 * https://core.telegram.org/api/errors.
 */
export async function startDataCentre({ id = 2, serverKey, password, files = new FileStore() }: Options = {}) {
  lastUserId += 1;
  const self = { id: lastUserId, firstName: 'Uwe', lastName: 'User', username: `uwe_${lastUserId}` };
  const authKey = randomBytes(256);
  const sessions = new Set([keyIdOf(authKey)]);
  const stored = new Map<string, Sent>();
  const treatments: Treatment[] = [];
  /** By method, what every next call of it is told instead. */
  const refusals = new Map<string, Answer>();
  const calls: Record<string, number> = {};
  const door = new Door(self, sessions, password);
  const box = new MessageBox(self.id);
  const neighbours: { id: number; port: number }[] = [];

  /** The calls in the order in which they came. */
  const ledger: Call['_'][] = [];
  /** By method, what every next call of it is answered after. */
  const delays = new Map<string, () => Promise<unknown>>();
  const heard = (call: Call, line: Line) => {
    ledger.push(call._);
    const delay = delays.get(call._);
    return delay ? delay().then(() => answerOf(call, line)) : answerOf(call, line);
  };

  const mtproto = await startMtproto(heard, { authKeys: [authKey], ...(serverKey && { serverKey }) });
  const seen = Object.assign(mtproto.seen, { sends: 0, resolves: 0 });

  function answerOf(call: Call, line: Line): Answer | true | undefined {
    calls[call._] = (calls[call._] ?? 0) + 1;
    const refused = refusals.get(call._);
    if (refused) return refused;
    const entered = door.answer(call, line);
    if (entered) return entered;
    if (call._ === 'help.getConfig') return neighbours.length > 0 ? configOf(neighbours) : refusal(500, 'NO_CONFIG');
    if (call._ === 'auth.importAuthorization') return letIn(call, line);
    if (!sessions.has(line.keyId)) return refusal(401, 'AUTH_KEY_UNREGISTERED');
    switch (call._) {
      case 'auth.logOut':
        sessions.delete(line.keyId);
        return { _: 'auth.loggedOut' };
      case 'updates.getState':
        return box.state();
      case 'updates.getDifference':
        return box.differenceSince(call.pts);
      case 'messages.getHistory':
        return box.history(call.peer);
      case 'messages.readHistory':
        return box.read(call.peer, call.maxId);
      case 'contacts.resolveUsername':
        seen.resolves += 1;
        return resolved(call.username);
      case 'messages.sendMessage':
        return sendMessage(call, line);
      case 'messages.getMessages':
        return box.messages(call.id);
      case 'messages.uploadMedia':
        return files.upload(call.media, id);
      case 'messages.sendMedia':
        return sendFiles(call.peer, [call], line);
      case 'messages.sendMultiMedia':
        return sendFiles(call.peer, call.multiMedia, line);
      case 'upload.saveFilePart':
      case 'upload.saveBigFilePart':
        return files.save(call);
      case 'upload.getFile':
        return files.get(call, id);
      case 'auth.exportAuthorization': {
        const bytes = randomBytes(16);
        files.exported.set(bytes.toString('hex'), { _: 'user', ...self });
        return { _: 'auth.exportedAuthorization', id: Long.fromNumber(self.id), bytes };
      }
      default:
        return refusal(400, 'METHOD_UNKNOWN');
    }
  }

  /** Somebody whom another centre has sent. */
  function letIn({ bytes }: tl.auth.RawImportAuthorizationRequest, { keyId }: Line): Answer {
    const user = files.exported.get(Buffer.from(bytes).toString('hex'));
    if (!user) return refusal(400, 'AUTH_BYTES_INVALID');
    sessions.add(keyId);
    return { _: 'auth.authorization', user };
  }

  /** Stores what is sent once, as it is treated. */
  function deliver(
    peer: tl.TypeInputPeer,
    randomIds: readonly Long[],
    line: Line,
    write: (userId: number) => Answer,
  ): Answer | undefined {
    seen.sends += 1;
    const treatment = treatments.shift();
    if (treatment && 'error' in treatment) return refusal(treatment.code, treatment.error);
    if (peer._ !== 'inputPeerUser' || !peer.accessHash.equals(accessHashOf(peer.userId)))
      return refusal(400, 'PEER_ID_INVALID');
    const drop = treatment && 'drop' in treatment ? treatment.drop : undefined;
    if (drop === 'before') {
      line.drop();
      return undefined;
    }
    if (randomIds.some((randomId) => stored.has(randomId.toString()))) return refusal(500, 'RANDOM_ID_DUPLICATE');
    const answer = write(peer.userId);
    if (drop) line.drop();
    return answer;
  }

  const sendMessage = ({ peer, message: text, randomId }: tl.messages.RawSendMessageRequest, line: Line) =>
    deliver(peer, [randomId], line, (userId) => {
      stored.set(randomId.toString(), { userId, text });
      const id = box.write(userId, text.trim(), { out: true });
      return { _: 'updateShortSentMessage', id, pts: box.pts, ptsCount: 1, date: 0 };
    });

  /** One file, or an album. */
  function sendFiles(
    peer: tl.TypeInputPeer,
    given: readonly { media: tl.TypeInputMedia; message: string; randomId: Long }[],
    line: Line,
  ): Answer | undefined {
    if (given.some(({ message }) => [...message].length > maxCaptionCharacters))
      return refusal(400, 'MEDIA_CAPTION_TOO_LONG');
    if (given.length > maxAlbumFiles) return refusal(400, 'MULTI_MEDIA_TOO_LONG');
    if (new Set(given.map(({ media }) => media._)).size > 1) return refusal(400, 'MEDIA_GROUPED_INVALID');
    const randomIds = given.map(({ randomId }) => randomId);
    return deliver(peer, randomIds, line, (userId) => {
      const found = given.map((one) => ({ ...one, ...files.sent(one.media) }));
      const refused = found.find((one) => 'refused' in one);
      if (refused && 'refused' in refused) return refused.refused;
      const album = given.length > 1 ? { album: String(randomIds[0]) } : {};
      const groupedId = randomIds[0];
      const updates = found.flatMap((one) => {
        if (!('file' in one)) return [];
        const { file, media, message: text, randomId } = one;
        stored.set(randomId.toString(), { userId, text, file: shown(file), ...album });
        const content = { out: true, media, ...(given.length > 1 && { groupedId }) };
        return [{ _: 'updateMessageID', id: box.write(userId, text.trim(), content), randomId }];
      });
      // In no order that says anything.
      return { _: 'updates', updates: updates.toReversed(), users: [], chats: [], date: 0, seq: 0 };
    });
  }

  const main = { id, ipAddress: '127.0.0.1', port: mtproto.port };
  return {
    session: writeStringSession({ version: 3, primaryDcs: { main, media: main }, authKey }),
    /** One that says whose it is, as those do that mtcute exports. */
    ownSession: writeStringSession({
      ...{ version: 3, primaryDcs: { main, media: main }, authKey },
      self: { userId: self.id, isBot: false, isPremium: false, usernames: [] },
    }),
    port: mtproto.port,
    self,
    seen,
    calls,
    box,
    files,
    /** Where some of its files lie. */
    neighbours,
    /** How many sessions of the account there are. */
    sessions: () => sessions.size,
    /** The person ends every session of the account elsewhere. */
    endSessions: () => sessions.clear(),
    stored: () => [...stored.values()],
    treat: (...next: Treatment[]) => treatments.push(...next),
    /** Every next call of the method is told so; without an error no longer. */
    refuse(method: Call['_'], code?: number, error = '') {
      if (code === undefined) refusals.delete(method);
      else refusals.set(method, refusal(code, error));
    },
    ledger,
    /** Every next call of the method is answered when that has happened, which is waited for with each of them. */
    delay: (method: Call['_'], until: () => Promise<unknown>) => delays.set(method, until),
    close: mtproto.close,
  };
}

const accessHashOf = (userId: number) =>
  userId === person.userId ? person.accessHash : Long.fromNumber(userId).multiply(7919);

/** What somebody looks like to the account. */
export const personOf = (userId: number, names: Partial<tl.RawUser> = {}): Answer & { id: number } => ({
  _: 'user',
  accessHash: accessHashOf(userId),
  firstName: userId === person.userId ? 'Maria' : `Person ${userId}`,
  ...names,
  id: userId,
});

/**
 * What has happened in an account, one after the other by its `pts`, as https://core.telegram.org/api/updates has it: told in slices, and
 * for ever.
 */
class MessageBox {
  readonly #selfId: number;
  readonly #log: { message?: Answer; update?: Answer }[] = [];
  readonly #people = new Map<number, Answer>();
  readonly #messages = new Map<number, Answer & { id: number; userId: number; out: boolean }>();
  #lastId = 100;
  /** What happened before anybody asked. */
  readonly #before = 1000;
  sliceSize = 100;
  isTooLong = false;
  /** By person, up to which message. */
  readonly reads: { userId: number; maxId: number }[] = [];

  constructor(selfId: number) {
    this.#selfId = selfId;
  }

  get pts() {
    return this.#before + this.#log.length;
  }

  know(user: Answer & { id: number }) {
    this.#people.set(user.id, user);
  }

  /** A message with somebody. Returns its id. */
  write(userId: number, message: string, content: Record<string, unknown> = {}): number {
    this.#lastId += 1;
    const id = this.#lastId;
    if (!this.#people.has(userId)) this.know(personOf(userId, { self: userId === this.#selfId }));
    const written = {
      ...{ _: 'message', id, peerId: { _: 'peerUser', userId }, date: epochSeconds(), message },
      ...content,
    };
    this.#messages.set(id, { ...written, userId, out: content['out'] === true });
    this.#log.push({ message: written });
    return id;
  }

  edit(id: number, content: Record<string, unknown>, editDate = epochSeconds()) {
    const { userId, ...message } = this.#messages.get(id) as Answer & { userId: number };
    this.#log.push({
      update: { _: 'updateEditMessage', message: { ...message, editDate, ...content }, pts: this.pts + 1, ptsCount: 1 },
    });
  }

  /** Somebody has read what the account wrote. */
  readByThem(userId: number, maxId: number) {
    const peer = { _: 'peerUser', userId };
    this.#log.push({
      update: { _: 'updateReadHistoryOutbox', peer, maxId, pts: this.pts + 1, ptsCount: 1 },
    });
  }

  /** The same once more, as Telegram may tell it. */
  repeat() {
    this.#log.push(...this.#log.slice());
  }

  state(): Answer {
    return { _: 'updates.state', pts: this.pts, qts: 0, date: 1, seq: 0, unreadCount: 0 };
  }

  differenceSince(pts: number): Answer {
    if (this.isTooLong) return { _: 'updates.differenceTooLong', pts: this.pts };
    const told = this.#log.slice(pts - this.#before, pts - this.#before + this.sliceSize);
    if (told.length === 0) return { _: 'updates.differenceEmpty', date: 1, seq: 0 };
    const reached = pts + told.length;
    const state = { ...this.state(), pts: reached };
    const content = {
      newMessages: told.flatMap(({ message }) => message ?? []),
      newEncryptedMessages: [],
      otherUpdates: told.flatMap(({ update }) => update ?? []),
      chats: [],
      users: [...this.#people.values()],
    };
    return reached < this.pts
      ? { _: 'updates.differenceSlice', ...content, intermediateState: state }
      : { _: 'updates.difference', ...content, state };
  }

  messages(ids: readonly tl.TypeInputMessage[]): Answer {
    const messages = ids.map((one) => {
      const id = 'id' in one ? one.id : 0;
      return this.#messages.get(id) ?? { _: 'messageEmpty', id };
    });
    return { _: 'messages.messages', messages, topics: [], chats: [], users: [] };
  }

  /** Somebody has removed a message. */
  forget(id: number) {
    this.#messages.delete(id);
  }

  history(peer: tl.TypeInputPeer): Answer {
    const userId = 'userId' in peer ? peer.userId : 0;
    const messages = [...this.#messages.values()].filter((message) => message.userId === userId).toReversed();
    return { _: 'messages.messages', messages, topics: [], chats: [], users: [] };
  }

  read(peer: tl.TypeInputPeer, maxId: number): Answer {
    if (peer._ !== 'inputPeerUser' || !peer.accessHash.equals(accessHashOf(peer.userId)))
      return refusal(400, 'PEER_ID_INVALID');
    this.reads.push({ userId: peer.userId, maxId });
    return { _: 'messages.affectedMessages', pts: this.pts, ptsCount: 0 };
  }
}

function resolved(username: string): Answer {
  if (username.toLowerCase() !== person.username) return refusal(400, 'USERNAME_NOT_OCCUPIED');
  return {
    _: 'contacts.resolvedPeer',
    peer: { _: 'peerUser', userId: person.userId },
    chats: [],
    users: [{ _: 'user', id: person.userId, accessHash: person.accessHash, firstName: 'Maria' }],
  };
}

export const rightCode = '31415';

const sha256 = (...parts: Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest();

/** A password as the server proves it, which has never seen it: https://core.telegram.org/api/srp. */
class Password {
  readonly #algo = {
    _: 'passwordKdfAlgoSHA256SHA256PBKDF2HMACSHA512iter100000SHA256ModPow',
    salt1: randomBytes(8),
    salt2: randomBytes(16),
    g: 3,
    p: bytesOf(dhPrime),
  } as const;
  readonly #verifier: bigint;
  readonly #secret = numberOf(randomBytes(32));
  readonly #srpB: Buffer;

  constructor(password: string) {
    const { salt1, salt2 } = this.#algo;
    const salted = (data: Uint8Array, salt: Uint8Array) => sha256(salt, data, salt);
    const once = salted(salted(Buffer.from(password), salt1), salt2);
    const x = numberOf(salted(pbkdf2Sync(once, salt1, 100_000, 64, 'sha512'), salt2));
    this.#verifier = power(3n, x);
    const k = numberOf(sha256(bytesOf(dhPrime), bytesOf(3n)));
    this.#srpB = bytesOf((k * this.#verifier + power(3n, this.#secret)) % dhPrime);
  }

  challenge(): Answer {
    return {
      _: 'account.password',
      hasPassword: true,
      currentAlgo: this.#algo,
      srpB: this.#srpB,
      srpId: Long.fromNumber(7),
      hint: 'the usual',
      newAlgo: this.#algo,
      newSecureAlgo: { _: 'securePasswordKdfAlgoUnknown' },
      secureRandom: randomBytes(8),
    };
  }

  isProvedBy({ A, M1 }: tl.RawInputCheckPasswordSRP): boolean {
    const { salt1, salt2, p } = this.#algo;
    const u = numberOf(sha256(A, this.#srpB));
    const shared = power(numberOf(A) * power(this.#verifier, u), this.#secret);
    const hashOfG = sha256(bytesOf(3n));
    const mixed = sha256(p).map((byte, index) => byte ^ (hashOfG[index] as number));
    const key = sha256(bytesOf(shared));
    return sha256(mixed, sha256(salt1), sha256(salt2), A, this.#srpB, key).equals(M1);
  }
}

/** Who gets into the account: https://core.telegram.org/api/auth. */
class Door {
  readonly #user: tl.RawUser;
  readonly #password: Password | undefined;
  readonly #sessions: Set<string>;
  readonly #hashes = new Set<string>();
  /** The keys that have shown a code. */
  readonly #coded = new Set<string>();

  constructor(user: Pick<tl.RawUser, 'id' | 'firstName' | 'username'>, sessions: Set<string>, password?: string) {
    this.#user = { _: 'user', self: true, accessHash: Long.fromNumber(9), ...user };
    this.#sessions = sessions;
    this.#password = password === undefined ? undefined : new Password(password);
  }

  /** Undefined for what is no part of it. */
  answer(call: Call, { keyId }: Line): Answer | undefined {
    switch (call._) {
      case 'auth.sendCode': {
        const phoneCodeHash = randomBytes(9).toString('hex');
        this.#hashes.add(phoneCodeHash);
        return { _: 'auth.sentCode', type: { _: 'auth.sentCodeTypeSms', length: 5 }, phoneCodeHash };
      }
      case 'auth.signIn':
        if (!this.#hashes.has(call.phoneCodeHash)) return refusal(400, 'PHONE_CODE_EXPIRED');
        if (call.phoneCode !== rightCode) return refusal(400, 'PHONE_CODE_INVALID');
        this.#hashes.delete(call.phoneCodeHash);
        this.#coded.add(keyId);
        return this.#password ? refusal(401, 'SESSION_PASSWORD_NEEDED') : this.#letIn(keyId);
      case 'account.getPassword':
        return this.#coded.has(keyId) ? this.#password?.challenge() : undefined;
      case 'auth.checkPassword':
        if (!this.#coded.has(keyId) || call.password._ !== 'inputCheckPasswordSRP') return undefined;
        return this.#password?.isProvedBy(call.password) ? this.#letIn(keyId) : refusal(400, 'PASSWORD_HASH_INVALID');
      default:
        return undefined;
    }
  }

  #letIn(keyId: string): Answer {
    this.#sessions.add(keyId);
    return { _: 'auth.authorization', user: this.#user };
  }
}

/**
 * The data centre that every login reaches first. It has no accounts: it sends each to the centre whose port its phone number ends
 * with (`phoneOf`), as Telegram does with phones that are at home elsewhere.
 */
export async function startFrontCentre(serverKey: ServerKey) {
  const ports = new Map<string, number>();
  const { port, close } = await startMtproto(
    (call, { keyId }) => {
      if (call._ === 'auth.sendCode') {
        if (!homePhone.test(call.phoneNumber)) return refusal(400, 'PHONE_NUMBER_INVALID');
        ports.set(keyId, Number(call.phoneNumber.slice(-5)));
        return refusal(303, `PHONE_MIGRATE_${homeId}`);
      }
      const home = ports.get(keyId);
      if (call._ === 'help.getConfig' && home !== undefined) return configOf([{ id: homeId, port: home }]);
      return refusal(400, 'METHOD_UNKNOWN');
    },
    { serverKey },
  );
  return { address: `2@127.0.0.1:${port}`, close };
}

const homeId = 4;
const homePhone = /^99966\d{5}$/;
export const phoneOf = (port: number) => `+99966${String(port).padStart(5, '0')}`;

const configOf = (centres: readonly { id: number; port: number }[]): Answer => ({
  _: 'config',
  date: 0,
  expires: epochSeconds() + 3600,
  testMode: false,
  thisDc: 2,
  dcOptions: centres.map((centre) => ({ _: 'dcOption', ipAddress: '127.0.0.1', ...centre })),
  dcTxtDomainName: '',
  chatSizeMax: 0,
  megagroupSizeMax: 0,
  forwardedCountMax: 0,
  onlineUpdatePeriodMs: 0,
  offlineBlurTimeoutMs: 0,
  offlineIdleTimeoutMs: 0,
  onlineCloudTimeoutMs: 0,
  notifyCloudDelayMs: 0,
  notifyDefaultDelayMs: 0,
  pushChatPeriodMs: 0,
  pushChatLimit: 0,
  editTimeLimit: 0,
  revokeTimeLimit: 0,
  revokePmTimeLimit: 0,
  ratingEDecay: 0,
  stickersRecentLimit: 0,
  channelsReadMediaPeriod: 0,
  // More than one, as Telegram may say: an account has one connection all the same.
  tmpSessions: 4,
  callReceiveTimeoutMs: 0,
  callRingTimeoutMs: 0,
  callConnectTimeoutMs: 0,
  callPacketTimeoutMs: 0,
  meUrlPrefix: '',
  captionLengthMax: 0,
  messageLengthMax: 0,
  webfileDcId: 0,
});
