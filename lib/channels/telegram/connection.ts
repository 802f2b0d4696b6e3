import { connectTcp } from '@fuman/node';
import { IntermediatePacketCodec, type Long, MemoryStorage, MtClient, type tl } from '@mtcute/core';
import { readStringSession } from '@mtcute/core/utils.js';
import { NodeCrypto } from './crypto.ts';

/** What Telegram answers instead of a result: `FLOOD_WAIT_30`, `PEER_FLOOD`. */
export class RefusedCall extends Error {
  readonly code: number;

  constructor(code: number, reason: string) {
    super(reason);
    this.code = code;
  }
}

export interface UserConnection {
  sendText(peer: { userId: number; accessHash: Long }, text: string, randomId: Long): Promise<void>;
  /** Undefined when the name is not a person's. Raises RefusedCall. */
  resolve(username: string): Promise<{ userId: number; accessHash: Long } | undefined>;
  close(): Promise<void>;
}

type Session = Pick<ReturnType<typeof readStringSession>, 'primaryDcs' | 'authKey'>;

/** A session string as mtcute exports it; undefined when it is none. */
export function readSession(text: string): Session | undefined {
  try {
    return readStringSession(text);
  } catch {
    return undefined;
  }
}

const timeoutMs = 8_000;

/**
 * One live connection of a user account, to be closed after the invocation. Every middleware of mtcute that waits or repeats is
 * left out: waits belong to the queue.
 */
export async function connectUser(
  { primaryDcs, authKey }: Session,
  app: { apiId: number; apiHash: string },
): Promise<UserConnection> {
  const storage = new MemoryStorage();
  const client = new MtClient({
    ...app,
    storage,
    crypto: new NodeCrypto(),
    defaultDcs: primaryDcs,
    testMode: primaryDcs.main.testMode ?? false,
    disableUpdates: true,
    logLevel: 0,
    network: { middlewares: [] },
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
  await storage.authKeys.set(primaryDcs.main.id, authKey);
  await client.connect();

  const call = async <Method extends tl.RpcMethod>(request: Method): Promise<tl.RpcCallReturn[Method['_']]> => {
    const answer = await client.call(request as never, { abortSignal: AbortSignal.timeout(timeoutMs) });
    const { _, errorCode, errorMessage } = answer as { _?: string; errorCode: number; errorMessage: string };
    if (_ === 'mt_rpc_error') throw new RefusedCall(errorCode, errorMessage);
    return answer as tl.RpcCallReturn[Method['_']];
  };

  return {
    async sendText(peer, message, randomId) {
      await call({ _: 'messages.sendMessage', peer: { _: 'inputPeerUser', ...peer }, message, randomId });
    },
    async resolve(username) {
      const { peer, users } = await call({ _: 'contacts.resolveUsername', username });
      const user = users.find((one) => one._ === 'user' && peer._ === 'peerUser' && one.id === peer.userId);
      if (user?._ !== 'user' || user.accessHash === undefined) return undefined;
      return { userId: user.id, accessHash: user.accessHash };
    },
    async close() {
      await client.disconnect();
      await client.destroy();
    },
  };
}
