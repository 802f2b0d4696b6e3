import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildAssembly } from './local/build.ts';
import { readCalls } from './local/calls.ts';
import { readOptions } from './local/options.ts';
import { home } from './local/template/identities.ts';
import { readDeployment, resourceFinder } from './local/template.ts';
import { evaluate, type Findings } from './permissions/evaluate.ts';
import { Policies } from './permissions/policies.ts';

const help = `npm run -s permissions -- [--from <file>]: holds what functions called in the last run of all tests against the roles of the
templates as they are now; lists what no call needed, and ends with 1 where AWS would refuse a call

  --from <file>   what a running system has noted instead: .local/calls.jsonl`;

/** What functions called in the last run of all tests. */
export const lastRun = join(import.meta.dirname, '../node_modules/.cache/calls.jsonl');

// As the system of the tests is: with all that an operator can switch on.
const everything = { EVENT_BUS: 'events', TELEGRAM_API_ID: '1', TELEGRAM_API_HASH: 'none' };

/** Holds the calls that a file has against the templates that these settings give. */
export async function findingsOf(file: string, environment: NodeJS.ProcessEnv = everything): Promise<Findings> {
  const assembly = await buildAssembly(readOptions([], environment).settings);
  // Notes have no ids of one system.
  const servers = { ...home, sqsUrl: 'http://sqs', apiUrl: 'http://api', keyId: '…' };
  const { functions } = readDeployment(assembly, servers);
  return evaluate(readCalls(file), functions, new Policies(resourceFinder(assembly, servers)));
}

/** The findings as a person reads them; what nothing needed only where all tests ran. */
export function report({ denied, unused, outdated }: Findings, isWhole: boolean): string {
  const lines = [
    ...denied,
    ...(isWhole ? unused.map((grant) => `nothing needed ${grant}`) : []),
    ...(isWhole ? outdated.map((reason) => `infra/permissions/unused.ts: nothing is unused like ${reason}`) : []),
  ];
  return lines.map((line) => `${line.replaceAll(/arn:aws:(\w+):[^:]*:[^:]*:/g, '$1:')}\n`).join('');
}

async function main(args: string[]): Promise<string> {
  const { values } = parseArgs({
    args,
    options: { from: { type: 'string' }, help: { type: 'boolean', short: 'h', default: false } },
  });
  if (values.help) return `${help}\n`;
  const file = values.from ?? lastRun;
  if (!existsSync(file)) throw new Error(`there is no ${file}: npm test, or --from another file (--help)`);
  const findings = await findingsOf(file);
  if (findings.denied.length > 0) process.exitCode = 1;
  return `${report(findings, values.from === undefined)}${findings.denied.length} kinds of calls are denied\n`;
}

if (import.meta.main)
  await main(process.argv.slice(2)).then(
    (answer) => process.stdout.write(answer),
    (error: Error) => {
      process.stderr.write(`${error.message}\n`);
      process.exitCode = 2;
    },
  );
