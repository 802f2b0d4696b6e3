// @ts-check
// Runs in the thread of an instance: the part of the Lambda runtime that calls handlers. JavaScript, because every thread would take
// 65 ms and 30 MB to strip it of types.
import { AsyncLocalStorage } from 'node:async_hooks';
import { pathToFileURL } from 'node:url';
import { parentPort } from 'node:worker_threads';

/** @import { Answer, Call, FromThread, Surroundings } from './invocation.ts' */

const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort);
/** @param {FromThread} message */
const tell = (message) => port.postMessage(message);

process.setSourceMapsEnabled(true);
for (const stream of [process.stdout, process.stderr]) {
  const isError = stream === process.stderr;
  // Not through the thread's streams: what a function says is in its log before its answer is given.
  stream.write = (/** @type {string | Uint8Array} */ chunk, /** @type {unknown[]} */ ...more) => {
    const text = typeof chunk === 'string' ? chunk : new TextDecoder().decode(chunk);
    tell({ output: { text, isError, of: String(process.env['AWS_LAMBDA_FUNCTION_NAME']) } });
    const written = more.find((one) => typeof one === 'function');
    if (written) queueMicrotask(() => written());
    return true;
  };
}

/**
 * @param {unknown} error
 * @param {string} fallbackType
 * @returns {Answer}
 */
function failure(error, fallbackType) {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  return { error: { errorType: name || fallbackType, errorMessage: message, trace: (stack ?? '').split('\n') } };
}

/** @param {Surroundings['code']} code */
async function load({ folder, handler }) {
  const [module, name] = handler.split('.');
  const exported = await import(pathToFileURL(`${folder}/${module}.mjs`).href);
  const found = exported[String(name)];
  if (typeof found !== 'function') throw new Error(`${handler} is undefined or not a function`);
  return found;
}

/** The functions that were called here. @type {Map<string, Surroundings & { handler?: Function }>} */
const known = new Map();
/** The one at work, and what it goes on with after its answer. @type {AsyncLocalStorage<Surroundings>} */
const running = new AsyncLocalStorage();
const { env: ofThread } = process;
// A function sees its own variables alone, whichever was called before or since.
Object.defineProperty(process, 'env', { get: () => running.getStore()?.environment ?? ofThread });

/**
 * @param {Call} call
 * @returns {Promise<Answer>}
 */
async function run({ functionName, surroundings, event, requestId, timeoutMs }) {
  if (surroundings) known.set(functionName, surroundings);
  const called = /** @type {Surroundings & { handler?: Function }} */ (known.get(functionName));
  return running.run(called, async () => {
    const handler =
      called.handler ?? (await load(called.code).catch((error) => failure(error, 'Runtime.ImportModuleError')));
    const isLoaded = typeof handler === 'function';
    if (!called.handler) tell({ isLoaded });
    if (!isLoaded) return handler;
    called.handler = handler;
    const deadline = Date.now() + timeoutMs;
    const context = {
      ...called.identity,
      awsRequestId: requestId,
      callbackWaitsForEmptyEventLoop: true,
      getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
    };
    try {
      return { payload: JSON.stringify((await handler(JSON.parse(event), context)) ?? null) };
    } catch (error) {
      return failure(error, 'Error');
    }
  });
}

port.on('message', async (call) => tell({ answer: await run(call) }));
