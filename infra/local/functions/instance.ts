import { randomUUID } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import type { FunctionToRun } from '../template.ts';
import type { Answer, Call, InvocationError } from './invocation.ts';
import type { FunctionLog } from './log.ts';

export interface InstanceData {
  folder: string;
  handler: string;
  identity: Record<string, string>;
}

export type FromThread = { answer: Answer } | { isReady: boolean };

// Lambda gives a cold function 10 seconds of its own before the invocation's time begins.
const initTimeoutMs = 10_000;

/** One running copy of a function in a thread of its own: it handles one invocation at a time, as on Lambda. */
export class Instance {
  readonly function: FunctionToRun;
  idleSince = Date.now();
  readonly #worker: Worker;
  readonly #log: FunctionLog;
  readonly #initialised: Promise<void>;
  readonly exited: Promise<void>;
  #settle: ((answer: Answer) => void) | undefined;
  #goneBecause: string | undefined;

  constructor(toRun: FunctionToRun, runtimeEnvironment: Record<string, string>, log: FunctionLog) {
    this.function = toRun;
    this.#log = log;
    const { name, arn, folder, handler, memoryMb } = toRun;
    const instanceId = randomUUID().replaceAll('-', '');
    const identity = {
      functionName: name,
      functionVersion: '$LATEST',
      invokedFunctionArn: arn,
      memoryLimitInMB: String(memoryMb),
      logGroupName: `/aws/lambda/${name}`,
      logStreamName: `local/[$LATEST]${instanceId}`,
    };
    this.#worker = new Worker(new URL('./runtime.ts', import.meta.url), {
      name,
      workerData: { folder, handler, identity } satisfies InstanceData,
      env: { ...runtimeEnvironment, ...provided(toRun, identity.logStreamName), ...toRun.environment },
      resourceLimits: { maxOldGenerationSizeMb: memoryMb },
      stdout: true,
      stderr: true,
    });
    log.collect(this.#worker);
    this.exited = new Promise((resolve) => this.#worker.on('exit', () => resolve()));
    this.#initialised = this.#watchInitialisation();
    this.#worker.on('message', (message: FromThread) => {
      if ('answer' in message) this.#finish(message.answer);
    });
    this.#worker.on('error', (error) => this.#crash(error));
    this.#worker.on('exit', (code) => this.#crash(new Error(`the function ended its process with code ${code}`)));
  }

  /** It has crashed or was stopped; a new one has to take its place. */
  get isGone(): boolean {
    return this.#goneBecause !== undefined;
  }

  async invoke(event: string): Promise<Answer> {
    if (this.#goneBecause !== undefined) return failed('Runtime.ExitError', this.#goneBecause);
    const requestId = randomUUID();
    const { timeoutSeconds } = this.function;
    const answered = new Promise<Answer>((resolve) => {
      this.#settle = resolve;
    });
    await this.#initialised;
    if (this.#settle === undefined) return answered;
    const timer = setTimeout(() => this.#timeOut(requestId), timeoutSeconds * 1000);
    this.#worker.postMessage({ event, requestId, deadline: Date.now() + timeoutSeconds * 1000 } satisfies Call);
    const answer = await answered;
    clearTimeout(timer);
    this.idleSince = Date.now();
    if (answer.error) this.#log.invocationFailed(answer.error);
    return answer;
  }

  async stop(reason = 'the function was stopped'): Promise<void> {
    this.#goneBecause ??= reason;
    this.#finish(failed('Runtime.ExitError', reason));
    await this.#worker.terminate();
  }

  #watchInitialisation(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, initTimeoutMs);
      const done = () => {
        clearTimeout(timer);
        resolve();
      };
      void this.exited.then(done);
      this.#worker.on('message', (message: FromThread) => {
        if (!('isReady' in message)) return;
        // One that could not load answers once with the reason; the next invocation tries afresh.
        if (!message.isReady) this.#goneBecause = 'the function could not be loaded';
        done();
      });
    });
  }

  #timeOut(requestId: string): void {
    const seconds = this.function.timeoutSeconds.toFixed(2);
    const message = `${new Date().toISOString()} ${requestId} Task timed out after ${seconds} seconds`;
    this.#finish(failed('Sandbox.Timedout', message));
    void this.stop();
  }

  #crash(error: Error): void {
    const isFirst = this.#goneBecause === undefined;
    this.#goneBecause ??= error.message;
    if (this.#settle) this.#finish(failed('Runtime.ExitError', error.message, error.stack));
    else if (isFirst) this.#log.invocationFailed(failed('Runtime.ExitError', error.message, error.stack).error);
  }

  #finish(answer: Answer): void {
    const settle = this.#settle;
    this.#settle = undefined;
    settle?.(answer);
  }
}

const failed = (errorType: string, errorMessage: string, stack = ''): { error: InvocationError } => ({
  error: { errorType, errorMessage, trace: stack === '' ? [] : stack.split('\n') },
});

/** What the Lambda runtime itself puts into a function's environment. */
const provided = ({ name, handler, memoryMb, folder }: FunctionToRun, logStream: string): Record<string, string> => ({
  _HANDLER: handler,
  TZ: ':UTC',
  LANG: 'en_US.UTF-8',
  PATH: '/var/lang/bin:/usr/local/bin:/usr/bin/:/bin:/opt/bin',
  LAMBDA_TASK_ROOT: folder,
  AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
  AWS_LAMBDA_FUNCTION_NAME: name,
  AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
  AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
  AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${name}`,
  AWS_LAMBDA_LOG_STREAM_NAME: logStream,
});
