import { randomUUID } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import type { FunctionToRun } from '../template.ts';
import type { Answer, Call, FromThread, InvocationError, Surroundings } from './invocation.ts';
import type { FunctionLogs } from './log.ts';

// Lambda gives a cold function 10 seconds of its own before the invocation's time begins.
const initTimeoutMs = 10_000;

/** A quarter of what V8 takes by itself: a call is no slower with it, and a system in which every route was called is a tenth smaller. */
const youngMb = 12;

export interface InstanceSettings {
  memoryMb: number;
  /** Variables that every function also gets. */
  runtimeEnvironment: Record<string, string>;
  sessionOf(functionName: string): Record<string, string>;
  logs: FunctionLogs;
}

/** A thread that functions run in: it handles one invocation at a time, as on Lambda. */
export class Instance {
  readonly exited: Promise<void>;
  idleSince = Date.now();
  readonly #id = randomUUID().replaceAll('-', '');
  readonly #settings: InstanceSettings;
  readonly #worker: Worker;
  #atWork: { on: FunctionToRun; settle(answer: Answer): void; loaded(): void } | undefined;
  /** The functions whose surroundings the thread knows, and whose module it has loaded. */
  readonly #known = new Map<string, FunctionToRun>();
  /** The function that was called last. */
  #ran: string | undefined;
  #goneBecause: string | undefined;
  #hasLoaded = false;

  constructor(settings: InstanceSettings) {
    this.#settings = settings;
    this.#worker = new Worker(new URL('./runtime.mjs', import.meta.url), {
      env: settings.runtimeEnvironment,
      resourceLimits: { maxOldGenerationSizeMb: settings.memoryMb, maxYoungGenerationSizeMb: youngMb },
    });
    this.exited = new Promise((resolve) => this.#worker.on('exit', () => resolve()));
    this.#worker.on('message', (message: FromThread) => this.#hear(message));
    this.#worker.on('error', (error) => this.#crash(error));
    this.#worker.on('exit', (code) => this.#crash(new Error(`the function ended its process with code ${code}`)));
  }

  /** It has crashed or was stopped; a new one has to take its place. */
  get isGone(): boolean {
    return this.#goneBecause !== undefined;
  }

  /** It has not yet loaded the first function that it was started for. */
  get isStarting(): boolean {
    return !this.#hasLoaded && !this.isGone;
  }

  runs(name: string): boolean {
    return this.#atWork?.on.name === name;
  }

  async invoke(on: FunctionToRun, event: string): Promise<Answer> {
    if (this.#goneBecause !== undefined) return failed(exited, this.#goneBecause);
    const requestId = randomUUID();
    const begun = Date.now();
    const timeoutMs = on.timeoutSeconds * 1000;
    let timer: NodeJS.Timeout | undefined;
    const answer = await new Promise<Answer>((settle) => {
      const begin = () => {
        clearTimeout(timer);
        timer = setTimeout(() => this.#timeOut(requestId, on.timeoutSeconds), timeoutMs);
      };
      const isKnown = this.#known.get(on.name) === on;
      if (isKnown) begin();
      else timer = setTimeout(begin, initTimeoutMs);
      this.#known.set(on.name, on);
      this.#atWork = { on, settle, loaded: begin };
      this.#ran = on.name;
      const surroundings = isKnown ? undefined : this.#surroundingsOf(on);
      const call: Call = { functionName: on.name, surroundings, event, requestId, timeoutMs };
      this.#worker.postMessage(call);
    });
    clearTimeout(timer);
    this.idleSince = Date.now();
    const log = this.#settings.logs.of(on.name);
    if (answer.error) log.invocationFailed(answer.error);
    if (on.systemLogLevel === 'WARN' ? answer.error : on.systemLogLevel)
      log.write({ text: reportOf(requestId, answer, Date.now() - begun, on.memoryMb), isError: false });
    return answer;
  }

  async stop(reason = 'the function was stopped'): Promise<void> {
    this.#goneBecause ??= reason;
    this.#finish(failed(exited, reason));
    await this.#worker.terminate();
  }

  #surroundingsOf(on: FunctionToRun): Surroundings {
    const { name, arn, memoryMb, folder, handler } = on;
    const identity = {
      functionName: name,
      functionVersion: '$LATEST',
      invokedFunctionArn: arn,
      memoryLimitInMB: String(memoryMb),
      logGroupName: `/aws/lambda/${name}`,
      logStreamName: `local/[$LATEST]${this.#id}`,
    };
    const { runtimeEnvironment, sessionOf } = this.#settings;
    const given = { ...provided(on, identity.logStreamName), ...sessionOf(name) };
    return {
      code: { folder, handler },
      identity,
      environment: { ...runtimeEnvironment, ...given, ...on.environment },
    };
  }

  #hear(message: FromThread): void {
    if ('output' in message) this.#settings.logs.of(message.output.of).write(message.output);
    else if ('answer' in message) this.#finish(message.answer);
    else {
      this.#hasLoaded = true;
      // One that could not load says why; the next invocation tries afresh.
      if (!message.isLoaded) this.#goneBecause = 'the function could not be loaded';
      this.#atWork?.loaded();
    }
  }

  #timeOut(requestId: string, timeoutSeconds: number): void {
    const message = `${new Date().toISOString()} ${requestId} Task timed out after ${timeoutSeconds.toFixed(2)} seconds`;
    this.#finish(failed(timedOut, message));
    void this.stop();
  }

  #crash(error: Error): void {
    const isFirst = this.#goneBecause === undefined;
    this.#goneBecause ??= error.message;
    const failure = failed(exited, error.message, error.stack);
    if (this.#atWork) this.#finish(failure);
    else if (isFirst && this.#ran) this.#settings.logs.of(this.#ran).invocationFailed(failure.error);
  }

  #finish(answer: Answer): void {
    const atWork = this.#atWork;
    this.#atWork = undefined;
    atWork?.settle(answer);
  }
}

/** Returns the report of an invocation that Lambda writes to a JSON log (telemetry API, platform.report). */
const reportOf = (requestId: string, { error }: Answer, durationMs: number, memorySizeMB: number) =>
  JSON.stringify({
    time: new Date().toISOString(),
    type: 'platform.report',
    record: { requestId, metrics: { durationMs, memorySizeMB }, status: statusOf(error) },
  });

function statusOf(error: InvocationError | undefined): 'success' | 'failure' | 'error' | 'timeout' {
  if (!error) return 'success';
  if (error.errorType === timedOut) return 'timeout';
  return error.errorType === exited ? 'failure' : 'error';
}

const timedOut = 'Sandbox.Timedout';
const exited = 'Runtime.ExitError';

const failed = (errorType: string, errorMessage: string, stack = ''): { error: InvocationError } => ({
  error: { errorType, errorMessage, trace: stack === '' ? [] : stack.split('\n') },
});

/** Returns the variables that the Lambda runtime adds to a function's environment. */
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
