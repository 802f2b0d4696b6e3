import { connectTcp } from '@fuman/node';
import { IntermediatePacketCodec, Long, MemoryStorage, MtClient, type tl } from '@mtcute/core';
import { readStringSession, writeStringSession } from '@mtcute/core/utils.js';
import type { UpdatesState } from '#lib/entities/inbound.ts';
import { NodeCrypto } from './crypto.ts';
import { RefusedCall } from './refused-call.ts';

export interface App {
  apiId: number;
  apiHash: string;
}

type Parsed = ReturnType<typeof readStringSession>;
type Session = Pick<Parsed, 'primaryDcs' | 'authKey'>;
/** Where a session is at home. */
export type Home = Parsed['primaryDcs'];

/** A session string as mtcute exports it; undefined when it is none. */
export function readSession(text: string): Session | undefined {
  try {
    return readStringSession(text);
  } catch {
    return undefined;
  }
}

const timeoutMs = 8_000;

export interface Connection {
  client: MtClient;
  /** Raises RefusedCall. */
  call<Method extends tl.RpcMethod>(request: Method): Promise<tl.RpcCallReturn[Method['_']]>;
  /** The session as a string, wherever Telegram has sent it. */
  exported(): Promise<string>;
  close(): Promise<void>;
}

/**
 * One live connection, to be closed after the invocation; without a key it makes one. Every middleware of mtcute that waits or
 * repeats is left out: waits belong to the queue.
 */
export async function connect(home: Home, authKey: Uint8Array | undefined, app: App): Promise<Connection> {
  const storage = new MemoryStorage();
  const client = new MtClient({
    ...app,
    storage,
    crypto: new NodeCrypto(),
    defaultDcs: home,
    testMode: home.main.testMode ?? false,
    disableUpdates: true,
    logLevel: 0,
    // Telegram may propose several connections, of which a second one would end the session.
    network: { middlewares: [], connectionCount: () => 1 },
    transport: {
      connect: ({ ipAddress, port }) => connectTcp({ address: ipAddress, port }),
      packetCodec: () => new IntermediatePacketCodec(),
    },
    platform: {
      beforeExit: () => () => {},
      log: () => {},
      getDefaultLogLevel: () => 0,
      getDeviceModel: () => 'CRM API',
    },
    // Calls have a time-out of their own; mtcute connects again by itself meanwhile.
    onError: () => {},
  });
  await client.prepare();
  if (authKey) await storage.authKeys.set(home.main.id, authKey);
  await client.connect();
  return {
    client,
    async call(request) {
      const answer = await client.call(request as never, { abortSignal: AbortSignal.timeout(timeoutMs) });
      const { _, errorCode, errorMessage } = answer as { _?: string; errorCode: number; errorMessage: string };
      if (_ === 'mt_rpc_error') throw new RefusedCall(errorCode, errorMessage);
      return answer as never;
    },
    async exported() {
      const primaryDcs = (await client.storage.dcs.fetch()) ?? home;
      const key = await storage.authKeys.get(primaryDcs.main.id);
      if (!key) throw new Error('this connection has no key yet');
      return writeStringSession({ version: 3, primaryDcs, authKey: key });
    },
    async close() {
      await client.disconnect();
      await client.destroy();
    },
  };
}

/** Somebody as an account addresses them. */
interface Addressee {
  userId: number;
  accessHash: Long;
}

/** What has happened since a state, one after the other; `too-long`: more than Telegram tells. */
export type Difference =
  | { kind: 'too-long' }
  | {
      kind: 'told';
      messages: tl.TypeMessage[];
      updates: tl.TypeUpdate[];
      users: tl.TypeUser[];
      state: UpdatesState;
      isMore: boolean;
    };

/** Each call raises RefusedCall. */
export interface UserConnection {
  /** Returns what Telegram calls the message, where it says so. */
  sendText(peer: Addressee, text: string, randomId: Long): Promise<number | undefined>;
  /** What Telegram calls the last message of this text that the account has sent to somebody. */
  lastSent(peer: Addressee, text: string): Promise<number | undefined>;
  /** Undefined when the name is not a person's. */
  resolve(username: string): Promise<Addressee | undefined>;
  state(): Promise<UpdatesState>;
  differenceSince(state: UpdatesState): Promise<Difference>;
  /** What somebody has written is read, up to a message. */
  markRead(peer: Addressee, messageId: number): Promise<void>;
  /** The session ends for ever. */
  logOut(): Promise<void>;
  close(): Promise<void>;
}

const stateOf = ({ pts, qts, date }: tl.updates.RawState): UpdatesState => ({ pts, qts, date });

/** Far enough back for one that was just sent. */
const lastMessages = 20;

/** The one live connection of a user account. */
export async function connectUser({ primaryDcs, authKey }: Session, app: App): Promise<UserConnection> {
  const { call, close } = await connect(primaryDcs, authKey, app);
  return {
    async sendText(peer, message, randomId) {
      const sent = await call({
        _: 'messages.sendMessage',
        peer: { _: 'inputPeerUser', ...peer },
        message,
        randomId,
      });
      if (sent._ === 'updateShortSentMessage') return sent.id;
      if (sent._ !== 'updates') return undefined;
      return sent.updates.find((update) => update._ === 'updateMessageID')?.id;
    },
    async lastSent(peer, text) {
      const history = await call({
        _: 'messages.getHistory',
        peer: { _: 'inputPeerUser', ...peer },
        ...{ offsetId: 0, offsetDate: 0, addOffset: 0, limit: lastMessages, maxId: 0, minId: 0, hash: Long.ZERO },
      });
      if (!('messages' in history)) return undefined;
      return history.messages.find((one) => one._ === 'message' && one.out && one.message === text.trim())?.id;
    },
    async resolve(username) {
      const { peer, users } = await call({ _: 'contacts.resolveUsername', username });
      const user = users.find((one) => one._ === 'user' && peer._ === 'peerUser' && one.id === peer.userId);
      if (user?._ !== 'user' || user.accessHash === undefined) return undefined;
      return { userId: user.id, accessHash: user.accessHash };
    },
    async state() {
      return stateOf(await call({ _: 'updates.getState' }));
    },
    async differenceSince(state) {
      const told = await call({ _: 'updates.getDifference', ...state });
      switch (told._) {
        case 'updates.differenceTooLong':
          return { kind: 'too-long' };
        case 'updates.differenceEmpty': {
          const nothing = { messages: [], updates: [], users: [] };
          return { kind: 'told', ...nothing, state: { ...state, date: told.date }, isMore: false };
        }
        default: {
          const isMore = told._ === 'updates.differenceSlice';
          const { newMessages: messages, otherUpdates: updates, users } = told;
          const reached = stateOf(told._ === 'updates.differenceSlice' ? told.intermediateState : told.state);
          return { kind: 'told', messages, updates, users, state: reached, isMore };
        }
      }
    },
    async markRead(peer, maxId) {
      await call({ _: 'messages.readHistory', peer: { _: 'inputPeerUser', ...peer }, maxId });
    },
    async logOut() {
      await call({ _: 'auth.logOut' });
    },
    close,
  };
}
