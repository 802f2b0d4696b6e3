import { connectTcp } from '@fuman/node';
import { IntermediatePacketCodec, type Long, MemoryStorage, MtClient, type tl } from '@mtcute/core';
import { addPublicKey, readStringSession, writeStringSession } from '@mtcute/core/utils.js';
import { env } from '#lib/core/env.ts';
import { providerTimeoutMs } from '#lib/core/timeouts.ts';
import { NodeCrypto } from './crypto.ts';
import { RefusedCall } from './refused-call.ts';

export interface App {
  apiId: number;
  apiHash: string;
}

type Parsed = ReturnType<typeof readStringSession>;
export type Session = Pick<Parsed, 'primaryDcs' | 'authKey'>;
/** Where a session is at home. */
export type Home = Parsed['primaryDcs'];

/** A session string as mtcute exports it; undefined when it is none. */
export function readSession(text: string): Parsed | undefined {
  try {
    return readStringSession(text);
  } catch {
    return undefined;
  }
}

interface CallOptions {
  /** ID of the data center, if it is not the home one. Its connection has another key. */
  dcId?: number;
  timeoutMs?: number;
  signal?: AbortSignal;
}

export interface Connection {
  client: MtClient;
  /** Raises RefusedCall. */
  call<Method extends tl.RpcMethod>(request: Method, options?: CallOptions): Promise<tl.RpcCallReturn[Method['_']]>;
  /** The session as a string, wherever Telegram has sent it. */
  exported(): Promise<string>;
  close(): Promise<void>;
}

/**
 * One live connection, to be closed after the invocation; without a key it makes one. Every middleware of mtcute that waits or
 * repeats is left out: waits belong to the queue.
 */
export async function connect(home: Home, authKey: Uint8Array | undefined, app: App): Promise<Connection> {
  trustGivenKey();
  const storage = new MemoryStorage();
  const dialled: ReturnType<typeof connectTcp>[] = [];
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
      connect({ ipAddress, port }) {
        const connection = connectTcp({ address: ipAddress, port });
        dialled.push(connection);
        return connection;
      },
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
    async call(request, { dcId = home.main.id, timeoutMs = providerTimeoutMs, signal } = {}) {
      const abortSignal = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]);
      if (dcId !== home.main.id) await requireCentre(client, dcId, abortSignal);
      const answer = await client.call(request as never, { ...(dcId !== home.main.id && { dcId }), abortSignal });
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
      // mtcute leaves open what it has not reached yet; who never answers is not waited for.
      for (const connection of dialled)
        connection.then(
          (reached) => reached.close(),
          () => {},
        );
    },
  };
}

/** The key that proves a data centre where that is not Telegram's. */
function trustGivenKey(): void {
  const key = env('TELEGRAM_PUBLIC_KEY');
  if (key) addPublicKey(new NodeCrypto(), `-----BEGIN RSA PUBLIC KEY-----\n${key}\n-----END RSA PUBLIC KEY-----`);
}

/** A data centre that Telegram does not name is looked for without end by mtcute. */
async function requireCentre({ network }: MtClient, dcId: number, signal: AbortSignal): Promise<void> {
  const aborted = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const option = await Promise.race([network.config.findOption({ dcId }), aborted]);
  if (!option) throw new Error(`Telegram names no data centre ${dcId}`);
}

/** Somebody as an account addresses them. */
export interface Addressee {
  userId: number;
  accessHash: Long;
}
