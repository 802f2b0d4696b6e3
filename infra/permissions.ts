import { parseArgs } from 'node:util';
import { buildAssembly } from './local/build.ts';
import { home } from './local/cloud.ts';
import { Policies } from './local/iam/policies.ts';
import { readUsage } from './local/iam/usage.ts';
import { readOptions } from './local/options.ts';
import { readDeployment, resourceFinder } from './local/template.ts';
import { type Answer, answersOf } from './permissions/answers.ts';
import { keptUsage } from './permissions/kept.ts';

const help = `npm run -s permissions -- [flags] [part of a name]: of every function what its role may do by the templates as they
are now, what it did in the last run of all tests, and what of that would be denied; ends with 1 where anything would

  --from <folder>   what a running system has noted instead: .local/permissions
  --denied          only what would be denied`;

const options = {
  from: { type: 'string' },
  denied: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

// As the system of the tests is: with all that an operator can switch on.
const settings = { EVENT_BUS: 'events', TELEGRAM_API_ID: '1', TELEGRAM_API_HASH: 'none' };

async function main(args: string[]): Promise<string> {
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  if (values.help) return help;
  const usage = values.from === undefined ? await keptUsage() : readUsage(values.from);
  if (usage === undefined) throw new Error('no run of all tests is known: npm test, or --from a folder (--help)');
  const assembly = await buildAssembly(readOptions([], settings).settings);
  // What a run has noted of keys and services has no ids in it.
  const servers = { ...home, sqsUrl: 'http://sqs', apiUrl: 'http://api', keyId: '…' };
  const { functions } = readDeployment(assembly, servers);
  const answers = answersOf(functions, new Policies(resourceFinder(assembly, servers)), usage);
  const asked = answers.filter(({ name }) => positionals.every((part) => plain(name).includes(plain(part))));
  const denied = asked.filter((answer) => answer.denied.length > 0);
  if (denied.length > 0) process.exitCode = 1;
  const summary = `${asked.length} functions, ${asked.filter(({ did }) => did.length > 0).length} of them ran; ${denied.length} would be denied something`;
  return [...(values.denied ? denied : asked).map(text), summary].join('\n');
}

const text = ({ name, role, may, did, denied }: Answer) =>
  [
    `${name} as ${role}`,
    ...may.map((what) => `  may     ${short(what)}`),
    ...did.map(([what, times]) => `  did     ${short(what)} (${times})`),
    ...denied.map((what) => `  DENIED  ${short(what)}`),
    '',
  ].join('\n');

/** `contacts-get` is `CrmApi-ContactsGet`. */
const plain = (name: string) => name.toLowerCase().replaceAll('-', '');

const short = (what: string) => what.replace(/arn:aws:(\w+):[^:]*:[^:]*:/, '$1:');

if (import.meta.main)
  await main(process.argv.slice(2)).then(
    (answer) => process.stdout.write(`${answer}\n`),
    (error: Error) => {
      process.stderr.write(`${error.message}\n`);
      process.exitCode = 2;
    },
  );
