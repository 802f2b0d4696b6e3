import { parseArgs } from 'node:util';
import { createClient } from '#client/index.ts';
import { randomText } from '#lib/core/random.ts';
import { connect, reaching } from '../cli/connection.ts';
import { environmentOfStack } from './admin/stack.ts';
import { cleanUps } from './canary/clean-up.ts';
import { type Outcome, Steps } from './canary/steps.ts';
import { walk } from './canary/walk.ts';

const usage =
  'usage: npm run -s canary -- --stack <name of the CrmApi stack> | --url <where the API is> [--key-file <file>]; else the test key is read from CRM_API_KEY';

/** Walks the main paths of a system, cleans up, and says whether all went well. */
async function canary(args: string[]): Promise<boolean> {
  const options = { stack: { type: 'string' }, url: { type: 'string' }, 'key-file': { type: 'string' } } as const;
  const { values } = parseArgs({ args, options });
  if (values.stack !== undefined && values.url !== undefined) throw new Error(usage);
  const given = values.stack === undefined ? values : { ...values, url: await addressOf(values.stack) };
  const { key, url, env } = connect(given);
  if (env !== 'test') throw new Error('the canary needs a test key: what it makes is not for real data');

  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
  let requestId: string | null = null;
  const fetch = async (request: Request) => {
    const response = await reaching(url)(request);
    requestId = response.headers.get('x-request-id');
    return response;
  };
  // A customer's client tries again what failed; here it is what is looked for.
  const crm = createClient({ baseUrl: url, apiKey: key, fetch, maxRetries: 0 });
  const patient = createClient({ baseUrl: url, apiKey: key, fetch });
  const mark = `canary_${randomText(12)}`;
  process.stdout.write(`${url} as ${mark}\n`);

  const latest = () => requestId;
  const steps = new Steps(tell, stop.signal, latest);
  await walk({ crm, baseUrl: url, mark, steps, stop: stop.signal });
  const ending = new Steps(tell, new AbortController().signal, latest);
  for (const [name, work] of cleanUps(patient, mark)) await ending.take(`clean up: ${name}`, work);

  const failed = steps.failed + ending.failed;
  if (stop.signal.aborted) process.stderr.write('interrupted\n');
  if (failed > 0) process.stderr.write(`${failed} failed\n`);
  return failed === 0 && !stop.signal.aborted;
}

async function addressOf(stack: string): Promise<string> {
  const { PUBLIC_URL, API_URL } = await environmentOfStack(stack);
  const url = PUBLIC_URL ?? API_URL;
  if (url === undefined) throw new Error(`the stack ${stack} has no output ApiUrl: is it a CrmApi stack?`);
  return url;
}

function tell(outcome: Outcome, name: string, ms: number, why?: string): void {
  const line = `${outcome.padEnd(8)}  ${name.padEnd(32)} ${String(ms).padStart(6)} ms`;
  process.stdout.write(`${why === undefined ? line : `${line}  ${why}`}\n`);
}

try {
  if (!(await canary(process.argv.slice(2)))) process.exitCode = 1;
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
