import { parseArgs } from 'node:util';
import { ApiError } from '../client/index.ts';
import { helpOf, overview } from './help.ts';
import { endWithReader, Output } from './output.ts';
import manifest from './package.json' with { type: 'json' };
import { RefusedExpression } from './search/refused.ts';
import { commonOptions, Failure, type Options, UsageError, type Values, type Verb } from './verb.ts';
import { verbs } from './verbs.ts';

const exitCodes = { done: 0, failed: 1, usage: 2 } as const;

/** Does what the arguments ask for; answers the exit code. */
export async function main(args: string[]): Promise<number> {
  endWithReader();
  const output = new Output(args.includes('--json'));
  try {
    const [first, second] = args;
    if (first === '--version' || first === '-V') {
      output.text(manifest.version);
      return exitCodes.done;
    }
    if (first === undefined || first === '--help' || first === '-h' || (first === 'help' && second === undefined)) {
      output.text(overview(verbs));
      return first === undefined ? exitCodes.usage : exitCodes.done;
    }
    const family = familyIn(args);
    if (family.size > 0) {
      output.text(overview(family));
      return exitCodes.done;
    }
    const { name, verb, rest } = find(first === 'help' ? args.slice(1) : args);
    const { values, positionals } = parse(name, verb, rest);
    if (values.help || first === 'help') output.text(helpOf(name, verb));
    else await verb.run({ values, operands: positionals, output });
    return exitCodes.done;
  } catch (error) {
    return fail(error, output);
  }
}

/** The verbs that begin with the one word whose help is asked for: `events --help`, `help events`. */
function familyIn(args: readonly string[]): typeof verbs {
  const [first, second, ...others] = args;
  const isAsked = others.length === 0 && (first === 'help' || second === '--help' || second === '-h');
  const word = first === 'help' ? second : first;
  return new Map(isAsked ? [...verbs].filter(([name]) => name.startsWith(`${word} `)) : []);
}

/** A verb has one word or two. */
function find([first = '', second = '', ...others]: string[]): { name: string; verb: Verb; rest: string[] } {
  const both = `${first} ${second}`;
  const [ofTwo, ofOne] = [verbs.get(both), verbs.get(first)];
  if (ofTwo) return { name: both, verb: ofTwo, rest: others };
  if (ofOne) return { name: first, verb: ofOne, rest: [...(second === '' ? [] : [second]), ...others] };
  const near = [...verbs.keys()].filter((name) => name.split(' ')[0] === first);
  const known = near.length > 0 ? near : [...verbs.keys()];
  throw new UsageError(`there is no verb "${near.length > 0 ? both.trim() : first}"; there are: ${known.join(', ')}`);
}

function parse(name: string, { options }: Verb, args: string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: withSignedValues(args, options),
      options: { ...options, ...commonOptions },
      allowPositionals: true,
    });
    return { values: values as Values<Record<never, never>>, positionals };
  } catch (error) {
    const [said] = (error as Error).message.split(/\. |\n/);
    throw new UsageError(`${said}; crm ${name} --help shows the options`);
  }
}

/** Joins an option to a value that begins with a minus (`--sort -name`), which parseArgs takes for an option. */
function withSignedValues(args: readonly string[], options: Options): string[] {
  const joined: string[] = [];
  for (const arg of args) {
    const before = joined.at(-1)?.slice(2) ?? '';
    const isValue = options[before]?.mayBeSigned && /^-\w/.test(arg) && joined.at(-1) === `--${before}`;
    if (isValue) joined.splice(-1, 1, `--${before}=${arg}`);
    else joined.push(arg);
  }
  return joined;
}

function fail(error: unknown, output: Output): number {
  if (error instanceof UsageError) {
    const { message, place } = error;
    output.failure({ error: 'usage', message, ...(place && { at: place.at }) }, place);
    return exitCodes.usage;
  }
  if (error instanceof RefusedExpression)
    output.failure({ ...refusal(error.refusal), at: error.place.at }, error.place);
  else if (error instanceof ApiError) output.failure(refusal(error));
  else if (error instanceof Failure) output.failure({ error: 'failed', message: error.message });
  else output.failure({ error: 'bug', message: (error as Error).stack ?? String(error) });
  return exitCodes.failed;
}

/** The API's own words, and what its people will ask for. */
function refusal({ status, code, message, details, fields, requestId }: ApiError) {
  const named = fields.map(({ field, message: problem }) => `${field}: ${problem}`);
  const words = [`${status} ${code}: ${message}`, ...named, requestId === null ? '' : `request ${requestId}`];
  return { error: code, message: words.filter((word) => word !== '').join('; '), status, details, requestId };
}
