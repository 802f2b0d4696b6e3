import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, afterEach, expect, test } from 'vitest';
import { openFunctionLogs } from '#infra/local/functions/log.ts';
import { type Functions, type FunctionsSettings, startFunctions } from '#infra/local/functions.ts';
import { logMatcher } from '#infra/local/mappings/log-pattern.ts';
import type { FunctionToRun } from '#infra/local/template.ts';
import { temporaryFolder } from '#test/infra/local/cloud-assembly.ts';

const folder = temporaryFolder();
afterAll(folder.remove);
const running: Functions[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((functions) => functions.close()));
});

let count = 0;
/** A function whose module is this source. */
function written(source: string, more: Partial<FunctionToRun> = {}): FunctionToRun {
  count += 1;
  const path = join(folder.path, `code-${count}`);
  mkdirSync(path);
  writeFileSync(join(path, 'index.mjs'), source);
  return {
    name: 'work',
    arn: 'arn:aws:lambda:eu-west-1:111111111111:function:work',
    role: '',
    systemLogLevel: undefined,
    folder: path,
    handler: 'index.handler',
    environment: {},
    timeoutSeconds: 20,
    memoryMb: 128,
    reservedConcurrency: undefined,
    ...more,
  };
}

function start(toRun: FunctionToRun, more: Partial<FunctionsSettings> = {}) {
  count += 1;
  const reported: string[] = [];
  const logFolder = join(folder.path, `logs-${count}`);
  const logs = openFunctionLogs(logFolder, (text) => reported.push(text));
  const functions = startFunctions({
    functions: [toRun],
    runtimeEnvironment: { AWS_REGION: 'eu-west-1' },
    logs,
    ...more,
  });
  running.push(functions);
  const invoke = async (event: unknown = {}) => {
    const { payload, error } = await functions.invoke('work', JSON.stringify(event));
    return error ? { error } : { result: JSON.parse(payload) };
  };
  const log = async () => {
    await logs.close();
    return readFileSync(join(logFolder, 'work.log'), 'utf8');
  };
  return { functions, invoke, reported, log };
}

const sleeping = `
  let running = 0;
  const instance = Math.random();
  export const handler = async ({ ms = 0 }) => {
    running += 1;
    const together = running;
    await new Promise((resolve) => setTimeout(resolve, ms));
    running -= 1;
    return { instance, together };
  };`;

test('a handler gets its event, its context and no variables but its own and those of the runtime', async () => {
  const { invoke } = start(
    written(
      `export const handler = async (event, context) => ({
        event, name: context.functionName, id: context.awsRequestId, left: context.getRemainingTimeInMillis(), env: process.env,
      });`,
      { environment: { TABLE_NAME: 'things' } },
    ),
  );
  const { result } = await invoke({ a: 1 });
  expect(result.event).toEqual({ a: 1 });
  expect(result.name).toBe('work');
  expect(result.id).toMatch(/^[0-9a-f-]{36}$/);
  expect(result.left).toBeGreaterThan(0);
  expect(result.left).toBeLessThanOrEqual(20_000);
  expect(result.env).toMatchObject({ TABLE_NAME: 'things', AWS_REGION: 'eu-west-1', AWS_LAMBDA_FUNCTION_NAME: 'work' });
  expect(
    Object.keys(result.env).filter((name) => !/^(AWS_|LAMBDA_|_HANDLER$|TZ$|LANG$|PATH$|TABLE_NAME$)/.test(name)),
  ).toEqual([]);
});

test('an instance handles one invocation at a time, and invocations over the limit wait', async () => {
  const { invoke, functions } = start(written(sleeping), { maxPerFunction: 2 });
  const results = await Promise.all(Array.from({ length: 6 }, () => invoke({ ms: 50 })));
  expect(results.map(({ result }) => result.together)).toEqual([1, 1, 1, 1, 1, 1]);
  expect(new Set(results.map(({ result }) => result.instance)).size).toBe(2);
  expect(functions.instanceCount()).toBe(2);
});

test('reserved concurrency limits the instances of a function', async () => {
  const { invoke } = start(written(sleeping, { reservedConcurrency: 1 }));
  const results = await Promise.all(Array.from({ length: 3 }, () => invoke({ ms: 20 })));
  expect(new Set(results.map(({ result }) => result.instance)).size).toBe(1);
});

test.each<[string, Partial<FunctionToRun>, RegExp]>([
  ['an environment above 4 KB', { environment: { A: 'x'.repeat(4096) } }, /environment has 4104 bytes/],
  ['a time-out above 15 minutes', { timeoutSeconds: 901 }, /time-out/],
  ['less memory than 128 MB', { memoryMb: 64 }, /memory/],
])('%s is refused before anything runs', (_case, more, message) => {
  expect(() => start(written(sleeping, more))).toThrow(message);
});

test('an environment of 4 KB is taken', () => {
  expect(() => start(written(sleeping, { environment: { A: 'x'.repeat(4088) } }))).not.toThrow();
});

test('nothing starts before the first invocation', () => {
  expect(start(written(sleeping)).functions.instanceCount()).toBe(0);
});

test('an exception of a handler is returned with its type, and the instance continues', async () => {
  const { invoke, reported } = start(
    written(`let calls = 0; export const handler = async () => {
      calls += 1;
      if (calls === 1) throw new RangeError('too far');
      return calls;
    };`),
  );
  expect((await invoke()).error).toMatchObject({ errorType: 'RangeError', errorMessage: 'too far' });
  expect(await invoke()).toEqual({ result: 2 });
  expect(reported.join()).toContain('RangeError: too far');
});

test('a function that overruns its time is ended, and a fresh instance takes its place', async () => {
  const { invoke } = start(written(sleeping, { timeoutSeconds: 1 }));
  const { error } = await invoke({ ms: 60_000 });
  expect(error?.errorMessage).toMatch(/Task timed out after 1\.00 seconds$/);
  expect((await invoke()).result.together).toBe(1);
});

test('a function that blocks its thread is ended as well', async () => {
  const { invoke } = start(written('export const handler = async () => { for (;;); };', { timeoutSeconds: 1 }));
  expect((await invoke()).error?.errorMessage).toContain('Task timed out');
});

test('a crash is an error, and the next invocation gets a fresh instance', async () => {
  const { invoke } = start(
    written(`export const handler = async ({ crash }) => {
      if (crash) { setTimeout(() => { throw new Error('out of band'); }); await new Promise(() => {}); }
      return 'well';
    };`),
  );
  expect((await invoke({ crash: true })).error).toMatchObject({ errorType: 'Runtime.ExitError' });
  expect(await invoke()).toEqual({ result: 'well' });
});

test('a log of JSON says how each invocation ended, one of text nothing', async () => {
  const source = `export const handler = async ({ end }) => {
    if (end === 'throws') throw new Error('no');
    if (end === 'exits') process.exit(1);
    if (end === 'hangs') await new Promise((resolve) => setTimeout(resolve, 60_000));
  };`;
  const ends = async (systemLogLevel?: string) => {
    const { invoke, log } = start(written(source, { systemLogLevel, timeoutSeconds: 1 }));
    for (const end of ['returns', 'throws', 'exits', 'hangs']) await invoke({ end });
    const lines = (await log()).split('\n').filter((line) => line.startsWith('{'));
    return { lines, statuses: lines.map((line) => JSON.parse(line).record.status) };
  };
  const { lines, statuses } = await ends('INFO');
  expect(statuses).toEqual(['success', 'error', 'failure', 'timeout']);
  const isFailed = logMatcher('{ ($.type = "platform.report") && ($.record.status != "success") }');
  expect(lines.map(isFailed)).toEqual([false, true, true, true]);
  expect((await ends('WARN')).statuses).toEqual(['error', 'failure', 'timeout']);
  expect((await ends()).lines).toEqual([]);
});

test('a function that cannot load says why at every invocation', async () => {
  const { invoke } = start(written(`throw new Error('no such table'); export const handler = 1;`));
  expect((await invoke()).error?.errorMessage).toBe('no such table');
  expect((await invoke()).error?.errorMessage).toBe('no such table');
});

test('new code takes over without losing the invocation at work', async () => {
  const before = written(sleeping);
  const { invoke, functions } = start(before);
  const atWork = invoke({ ms: 300 });
  await setImmediate();
  functions.replace([written(`export const handler = async () => 'new';`)]);
  expect(await invoke()).toEqual({ result: 'new' });
  expect((await atWork).result.together).toBe(1);
  await expect.poll(() => functions.instanceCount()).toBe(1);
});

test('a killed function fails its invocation, and the next one succeeds', async () => {
  const { invoke, functions } = start(written(sleeping));
  await invoke();
  const atWork = invoke({ ms: 60_000 });
  await setImmediate();
  await functions.kill('work');
  expect((await atWork).error?.errorMessage).toBe('the function was killed');
  expect((await invoke()).result.together).toBe(1);
});

test('an idle instance stops, and gives way when there are too many', async () => {
  const idle = start(written(sleeping), { maxIdleMs: 1 });
  await idle.invoke();
  await expect.poll(() => idle.functions.instanceCount()).toBe(0);

  const other = written(sleeping, { name: 'other', memoryMb: 256 });
  const full = start(written(sleeping), { maxInstances: 1 });
  full.functions.replace([other]);
  await full.invoke();
  await full.functions.invoke('other', '{}');
  expect(full.functions.instanceCount()).toBe(1);
});

test('functions of one size run in the same threads, each with its own variables', async () => {
  const source = `export const handler = async () => ({ ...process.env });`;
  const { functions } = start(written(source, { environment: { TABLE_NAME: 'things' } }));
  functions.replace([
    written(source, { name: 'other', environment: { QUEUE_URL: 'http://queue' } }),
    written(source, { name: 'large', memoryMb: 256 }),
  ]);
  const variablesOf = async (name: string) => {
    const { payload = '{}' } = await functions.invoke(name, '{}');
    const { TABLE_NAME, QUEUE_URL, AWS_LAMBDA_FUNCTION_NAME } = JSON.parse(payload);
    return { TABLE_NAME, QUEUE_URL, AWS_LAMBDA_FUNCTION_NAME };
  };
  expect(await variablesOf('work')).toEqual({ TABLE_NAME: 'things', AWS_LAMBDA_FUNCTION_NAME: 'work' });
  expect(await variablesOf('other')).toEqual({ QUEUE_URL: 'http://queue', AWS_LAMBDA_FUNCTION_NAME: 'other' });
  expect(await variablesOf('work')).toEqual({ TABLE_NAME: 'things', AWS_LAMBDA_FUNCTION_NAME: 'work' });
  expect(functions.instanceCount()).toBe(1);
  await variablesOf('large');
  expect(functions.instanceCount()).toBe(2);
});

test('work after an answer keeps its own environment and log during other calls', async () => {
  const { functions, invoke, log } = start(
    written(
      `export const handler = async () => {
        setTimeout(() => console.log('later ' + process.env.TABLE_NAME), 300);
        return null;
      };`,
      { environment: { TABLE_NAME: 'things' } },
    ),
  );
  functions.replace([written(sleeping, { name: 'other' })]);
  await invoke();
  await functions.invoke('other', '{"ms":600}');
  expect(functions.instanceCount()).toBe(1);
  expect(await log()).toContain('later things');
});

test('a killed function leaves those alone that another runs', async () => {
  const { functions, invoke } = start(written(sleeping));
  functions.replace([written(sleeping, { name: 'other' })]);
  const [mine, others] = [invoke({ ms: 60_000 }), functions.invoke('other', '{"ms":300}')];
  await expect.poll(() => functions.instanceCount()).toBe(2);
  await functions.kill('work');
  expect((await mine).error?.errorMessage).toBe('the function was killed');
  expect((await others).error).toBeUndefined();
});

test('a burst of short calls is not answered by as many threads', async () => {
  const { functions, invoke } = start(written(sleeping), { maxPerFunction: 50 });
  await invoke();
  await Promise.all(Array.from({ length: 50 }, () => invoke()));
  expect(functions.instanceCount()).toBeLessThan(5);
});

test('all output goes to the log, and errors are reported with readable stacks', async () => {
  const { invoke, reported, log } = start(
    written(`export const handler = async () => {
      console.log('{"level":"INFO","message":"quiet"}');
      console.log(JSON.stringify({ level: 'ERROR', message: 'loud', error: { stack: 'Error: loud\\n    at here' } }));
    };`),
  );
  await invoke();
  await expect.poll(() => reported).toEqual(['[work] ERROR loud\nError: loud\n    at here']);
  expect(await log()).toContain('quiet');
});
