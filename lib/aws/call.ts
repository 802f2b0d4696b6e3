import { Agent as PlainAgent, request as plainRequest, type RequestOptions } from 'node:http';
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { deadline, sleep } from '#lib/clock.ts';
import { isRepeatable, isThrottled } from '../aws.ts';
import { endpointOf, signed } from './signed.ts';

/** How services whose API is JSON are told what is asked of them: by a target, or (the Scheduler) by a path. */
const services = {
  dynamodb: { contentType: 'application/x-amz-json-1.0', target: 'DynamoDB_20120810' },
  events: { contentType: 'application/x-amz-json-1.1', target: 'AWSEvents' },
  kms: { contentType: 'application/x-amz-json-1.1', target: 'TrentService' },
  scheduler: { contentType: 'application/json', target: undefined },
  ssm: { contentType: 'application/x-amz-json-1.1', target: 'AmazonSSM' },
  sqs: { contentType: 'application/x-amz-json-1.0', target: 'AmazonSQS' },
} as const;

export interface Call {
  service: keyof typeof services;
  operation: string;
  path?: string;
  /** JSON. */
  body: string;
}

const maxAttempts = 4;
const connectMs = 1000;
const answerMs = 5000;
const backoffMs = 25;
const throttledBackoffMs = 100;

/**
 * Calls to AWS, with JSON in both directions: connections are kept alive, and what may pass is tried four times, with jitter. The SDK
 * needs two to three times the CPU for a call, which would be most of what a request costs, and doubles a function's bundle.
 */
export const aws = {
  /** What a call is answered. Raises what the service says, as `errorOf` has it, and what breaks the connection. */
  async call(call: Call, signal?: AbortSignal): Promise<object> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await aws.attempt(call, signal);
      } catch (error) {
        if (attempt === maxAttempts || !isRepeatable(error)) throw error;
        const baseMs = isThrottled(error) ? throttledBackoffMs : backoffMs;
        await sleep(Math.random() * baseMs * 2 ** attempt);
      }
    }
  },

  /** The same, tried once. */
  async attempt(call: Call, signal?: AbortSignal): Promise<object> {
    const { status, headers, content } = await exchanged(call, signal);
    if (status >= 200 && status < 300) return content;
    throw errorOf(status, { type: headers['x-amzn-errortype'], requestId: headers['x-amzn-requestid'] }, content);
  },
};

/** The request of a call, signed with the credentials of the environment, without its body. */
export function requestOf({ service, operation, path = '/', body }: Call): RequestOptions {
  const { protocol, hostname, port, host } = endpointOf(service);
  const { contentType, target } = services[service];
  const place = { method: 'POST', path };
  const headers = { host, 'content-type': contentType, ...(target && { 'x-amz-target': `${target}.${operation}` }) };
  return { protocol, hostname, port, ...place, headers: signed({ service, ...place, headers, body }).headers };
}

interface Exchanged {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  content: object;
}

const agents = { plain: new PlainAgent({ keepAlive: true }), tls: new Agent({ keepAlive: true }) };

/** Lambda purges the idle connections of a frozen process, all of them, which shows in what is asked on one: the next is new. */
function dropIdle({ freeSockets }: PlainAgent): void {
  for (const socket of Object.values(freeSockets).flat()) socket?.destroy();
}

function exchanged(call: Call, signal: AbortSignal | undefined): Promise<Exchanged> {
  const options = requestOf(call);
  const isPlain = options.protocol === 'http:';
  const agent = isPlain ? agents.plain : agents.tls;
  return new Promise((resolve, reject) => {
    const sent = (isPlain ? plainRequest : request)({ ...options, agent, ...(signal && { signal }) });
    const giveUp = (what: string) =>
      sent.destroy(Object.assign(new Error(`${call.service} ${what} in time`), { name: 'TimeoutError' }));
    const cancelAnswer = deadline(answerMs, () => giveUp('did not answer'));
    let cancelConnect = () => {};
    sent.once('socket', (socket) => {
      if (!socket.connecting) return;
      cancelConnect = deadline(connectMs, () => giveUp('could not be reached'));
      socket.once(isPlain ? 'connect' : 'secureConnect', () => cancelConnect());
    });
    sent.once('close', () => {
      cancelAnswer();
      cancelConnect();
    });
    sent.once('error', (error) => {
      if (sent.reusedSocket && !signal?.aborted) dropIdle(agent);
      reject(error);
    });
    sent.once('response', (response) => {
      const { statusCode: status = 0, headers } = response;
      text(response).then((answer) => resolve({ status, headers, content: contentOf(answer) }), reject);
    });
    sent.end(call.body);
  });
}

/** What is no JSON comes from something in between, and says nothing but its status. */
function contentOf(answer: string): object {
  if (answer === '') return {};
  try {
    return JSON.parse(answer);
  } catch {
    return {};
  }
}

interface Said {
  type: string | string[] | undefined;
  requestId: string | string[] | undefined;
}

/** The error that an answer means, as the SDK has it: with its `name`, `message`, `$metadata` and whatever else the answer holds. */
function errorOf(httpStatusCode: number, { type, requestId }: Said, content: object): Error {
  const { __type, message, Message, ...shown } = content as Record<string, unknown>;
  const said = message ?? Message ?? `the answer was ${httpStatusCode}`;
  return Object.assign(new Error(String(said)), shown, {
    name: nameIn(type ?? __type),
    $metadata: { httpStatusCode, requestId },
  });
}

/** `com.amazonaws.sqs#QueueDoesNotExist`, `ConflictException:http://…`. */
const nameIn = (type: unknown) =>
  typeof type === 'string' ? type.slice(type.indexOf('#') + 1).replace(/:.*/, '') : 'UnknownError';
