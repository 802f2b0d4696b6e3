import { ConfiguredRetryStrategy } from '@smithy/core/retry';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { isRepeatable } from './aws.ts';

const connectMs = 1000;
const answerMs = 5000;
const backoffMs = 50;

type Token = Parameters<ConfiguredRetryStrategy['refreshRetryTokenForRetry']>[0];
type Failure = Parameters<ConfiguredRetryStrategy['refreshRetryTokenForRetry']>[1];

/** Retries what the SDK retries, and writes that met another one, with waits that leave a call time to answer. */
class Retries extends ConfiguredRetryStrategy {
  constructor(maxAttempts: number) {
    super(maxAttempts, (attempt) => Math.random() * backoffMs * 2 ** attempt);
  }

  override refreshRetryTokenForRetry(token: Token, failure: Failure) {
    const isConflict = failure.errorType === 'CLIENT_ERROR' && isRepeatable(failure.error);
    return super.refreshRetryTokenForRetry(token, isConflict ? { ...failure, errorType: 'TRANSIENT' } : failure);
  }
}

/** Keeps connections alive. Drops all idle ones when one is reset: Lambda purges those of a frozen process together. */
class KeptConnections extends NodeHttpHandler {
  override async handle(...call: Parameters<NodeHttpHandler['handle']>) {
    try {
      return await super.handle(...call);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ECONNRESET') this.#dropIdle();
      throw error;
    }
  }

  #dropIdle(): void {
    const { httpAgent = {}, httpsAgent = {} } = this.httpHandlerConfigs();
    for (const agent of [httpAgent, httpsAgent])
      if ('freeSockets' in agent) for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
  }
}

/** Returns the settings of clients whose calls take a moment. */
export const shortCalls = (maxAttempts = 4) => ({
  maxAttempts,
  retryStrategy: new Retries(maxAttempts),
  requestHandler: new KeptConnections({
    connectionTimeout: connectMs,
    requestTimeout: answerMs,
    socketTimeout: answerMs,
    throwOnRequestTimeout: true,
  }),
});
