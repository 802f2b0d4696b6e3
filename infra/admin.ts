import { existsSync, readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import * as v from 'valibot';
import { type FieldError, Problem } from '#lib/core/problem.ts';
import { fieldsOf } from './admin/fields.ts';
import { readSystemFile } from './local/files.ts';

interface Command {
  input: v.GenericSchema;
  run(input: unknown): Promise<unknown>;
}

const folder = join(import.meta.dirname, 'admin/commands');
const usage = `npm run -s admin -- <noun> <verb> '<json>'|- [--stack <name>] [--table <name>]`;

/** Does one command of `admin/<noun>.ts` on the local system, or with `stack` on AWS; with `table` on another than its table. */
async function admin(args: string[]): Promise<string> {
  const options = {
    stack: { type: 'string' },
    table: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  } as const;
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
  const [noun, verb, json] = positionals;
  if (values.help && verb === undefined) return `usage: ${usage}; ${await listing()}`;
  const { input: schema, run } = await findCommand(noun, verb);
  if (values.help) return `${noun} ${verb} '<json>': ${fieldsOf(schema)}`;
  const input = readInput(schema, json === '-' ? await text(process.stdin) : json);
  Object.assign(process.env, await environmentOf(values.stack), values.table && { TABLE_NAME: values.table });
  return JSON.stringify(await run(input));
}

async function findCommand(noun = '', verb = ''): Promise<Command> {
  const commands = await commandsOf(noun);
  const command = commands && Object.hasOwn(commands, verb) ? commands[verb] : undefined;
  if (command) return command;
  const missing = noun === '' ? 'no command' : `there is no command "${`${noun} ${verb}`.trim()}"`;
  throw new Error(`${missing}; usage: ${usage}; ${await listing()}`);
}

async function commandsOf(noun: string): Promise<Record<string, Command> | undefined> {
  const file = join(folder, `${noun}.ts`);
  return /^[a-z-]+$/.test(noun) && existsSync(file) ? (await import(pathToFileURL(file).href)).commands : undefined;
}

async function listing(): Promise<string> {
  const nouns = readdirSync(folder).map((file) => basename(file, '.ts'));
  const all = await Promise.all(
    nouns.map(async (noun) => [noun, Object.keys((await commandsOf(noun)) ?? {})] as const),
  );
  const known = all.filter(([, verbs]) => verbs.length > 0).map(([noun, verbs]) => `${noun} ${verbs.join('|')}`);
  return `commands: ${known.join(', ')}; <noun> <verb> --help shows the fields`;
}

function readInput(schema: v.GenericSchema, json: string | undefined): unknown {
  const parsed = v.safeParse(schema, json === undefined ? {} : parseJson(json));
  if (parsed.success) return parsed.output;
  const said = parsed.issues.map((issue) => {
    const path = v.getDotPath(issue);
    const isMissing = issue.path !== undefined && issue.input === undefined;
    return [path, isMissing ? 'is required' : issue.message].filter(Boolean).join(': ');
  });
  throw new Error(`${said.join('; ')}; the JSON is ${fieldsOf(schema)}`);
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new Error('the argument after noun and verb is not JSON');
  }
}

async function environmentOf(stack: string | undefined): Promise<Record<string, string>> {
  if (stack) return (await import('./admin/stack.ts')).environmentOfStack(stack);
  return readSystemFile(resolve(process.env['DATA_DIR'] ?? '.local')).env;
}

/** A refusal of several fields says each. */
function messageOf(error: unknown): string {
  const { message } = error as Error;
  const fields = error instanceof Problem ? error.details?.['fields'] : undefined;
  return Array.isArray(fields) ? fields.map((field: FieldError) => field.message).join('; ') : message;
}

try {
  process.stdout.write(`${await admin(process.argv.slice(2))}\n`);
} catch (error) {
  process.stderr.write(`${messageOf(error).replaceAll(/\n\s*/g, ' ')}\n`);
  process.exitCode = 1;
}
