import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import * as v from 'valibot';
import { readSystemFile } from './files.ts';

interface Command {
  input: v.GenericSchema;
  run(input: unknown): Promise<unknown>;
}

const usage = `usage: npm run -s admin -- <noun> <verb> '<json>' [--stack <name>]`;

/** Does one command of `admin/<noun>.ts` on the local system, or with `stack` on AWS. */
async function admin(args: string[]): Promise<unknown> {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { stack: { type: 'string' } } });
  const [noun = '', verb = '', json = '{}'] = positionals;
  const command = await findCommand(noun, verb);
  const input = readInput(command.input, json);
  Object.assign(process.env, await environmentOf(values.stack));
  return command.run(input);
}

async function findCommand(noun: string, verb: string): Promise<Command> {
  const file = join(import.meta.dirname, 'admin', `${noun}.ts`);
  const commands: Record<string, Command> =
    /^[a-z-]+$/.test(noun) && existsSync(file) ? (await import(file)).commands : undefined;
  const command = commands && Object.hasOwn(commands, verb) ? commands[verb] : undefined;
  if (!command) throw new Error(`there is no command "${noun} ${verb}"; ${usage}`);
  return command;
}

function readInput(schema: v.GenericSchema, json: string): unknown {
  const parsed = v.safeParse(schema, JSON.parse(json));
  if (parsed.success) return parsed.output;
  const [{ message, ...issue }] = parsed.issues;
  throw new Error([v.getDotPath(issue as v.BaseIssue<unknown>), message].filter(Boolean).join(': '));
}

async function environmentOf(stack: string | undefined): Promise<Record<string, string>> {
  if (stack) return (await import('./admin-stack.ts')).environmentOfStack(stack);
  return readSystemFile(resolve(process.env.DATA_DIR ?? '.local')).env;
}

try {
  const result = await admin(process.argv.slice(2));
  process.stdout.write(`${JSON.stringify(result)}\n`);
} catch (error) {
  process.stderr.write(`${(error as Error).message.replaceAll(/\s*\n\s*/g, ' ')}\n`);
  process.exitCode = 1;
}
