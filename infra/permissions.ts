import { globSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildAssembly } from './local/build.ts';
import { readCalls } from './local/calls.ts';
import { readOptions } from './local/options.ts';
import { home } from './local/template/identities.ts';
import { readDeployment, resourceFinder } from './local/template.ts';
import { evaluate, type Findings } from './permissions/evaluate.ts';
import { Policies } from './permissions/policies.ts';

const help = `npm run -s permissions -- [--from <file>]: holds what functions called in the last runs of all tests against the roles of the
templates as they are now; lists what no call needed, and ends with 1 where AWS would refuse a call

  --from <file>   what a running system has noted instead: .local/calls.jsonl`;

/** Folder of the calls of functions in the last whole run of each tier of the tests. */
export const lastRuns = join(import.meta.dirname, '../node_modules/.cache/calls');

// As the system of the tests is: with all that an operator can switch on.
const everything = { EVENT_BUS: 'events', TELEGRAM_API_ID: '1', TELEGRAM_API_HASH: 'none' };

/** Holds the calls that files have against the templates of an assembly. */
export function findingsOf(files: readonly string[], assembly: string): Findings {
  // Notes have no ids of one system.
  const servers = { ...home, sqsUrl: 'http://sqs', apiUrl: 'http://api', keyId: '…' };
  const { functions } = readDeployment(assembly, servers);
  return evaluate(files.flatMap(readCalls), functions, new Policies(resourceFinder(assembly, servers)));
}

const text = (lines: readonly string[]) =>
  lines.map((line) => `${line.replaceAll(/arn:aws:(\w+):[^:]*:[^:]*:/g, '$1:')}\n`).join('');

async function main(args: string[]): Promise<string> {
  const { values } = parseArgs({
    args,
    options: { from: { type: 'string' }, help: { type: 'boolean', short: 'h', default: false } },
  });
  if (values.help) return `${help}\n`;
  const files = values.from === undefined ? globSync(join(lastRuns, '*.jsonl')) : [values.from];
  if (files.length === 0) throw new Error('no run of all tests is known: npm run test:full, or --from a file (--help)');
  const assembly = await buildAssembly(readOptions([], everything).settings);
  const { denied, unused, outdated } = findingsOf(files, assembly);
  if (denied.length > 0) process.exitCode = 1;
  const ofAll = [
    ...unused.map((grant) => `nothing needed ${grant}`),
    ...outdated.map((reason) => `infra/permissions/unused.ts: nothing is unused like ${reason}`),
  ];
  return `${text(denied)}${text(values.from === undefined ? ofAll : [])}${denied.length} kinds of calls are denied\n`;
}

if (import.meta.main)
  await main(process.argv.slice(2)).then(
    (answer) => process.stdout.write(answer),
    (error: Error) => {
      process.stderr.write(`${error.message}\n`);
      process.exitCode = 2;
    },
  );
