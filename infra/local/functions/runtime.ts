// Runs in the thread of one function instance: the part of the Lambda runtime that calls the handler.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import type { FromThread, InstanceData } from './instance.ts';
import type { Answer, Call } from './invocation.ts';

type Handler = (event: unknown, context: unknown) => unknown;

const { folder, handler: handlerName, identity } = workerData as InstanceData;
const port = parentPort as NonNullable<typeof parentPort>;

process.setSourceMapsEnabled(true);

const failure = (error: unknown, fallbackType: string): Answer => {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  return { error: { errorType: name || fallbackType, errorMessage: message, trace: (stack ?? '').split('\n') } };
};

async function loadHandler(): Promise<Handler> {
  const [module, name] = handlerName.split('.') as [string, string];
  const exported = await import(pathToFileURL(join(folder, `${module}.mjs`)).href);
  const handler = exported[name];
  if (typeof handler !== 'function') throw new Error(`${handlerName} is undefined or not a function`);
  return handler;
}

const loaded = loadHandler().catch((error) => failure(error, 'Runtime.ImportModuleError'));

async function run({ event, requestId, deadline }: Call): Promise<Answer> {
  const handler = await loaded;
  if (typeof handler !== 'function') return handler;
  const context = {
    ...identity,
    awsRequestId: requestId,
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
  };
  try {
    return { payload: JSON.stringify((await handler(JSON.parse(event), context)) ?? null) };
  } catch (error) {
    return failure(error, 'Error');
  }
}

const tell = (message: FromThread) => port.postMessage(message);

port.on('message', async (call: Call) => tell({ answer: await run(call) }));
tell({ isReady: typeof (await loaded) === 'function' });
