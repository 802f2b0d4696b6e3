import { causes } from '../causes.ts';
import { connect, reaching } from '../connection.ts';
import { type Field, fieldOf, withField } from '../fields.ts';
import { operandsOf } from '../operands.ts';
import type { Output } from '../output.ts';
import { Failure, UsageError, verb } from '../verb.ts';

export const trigger = verb({
  summary: 'Makes an event happen in the sandbox, by the calls that cause it.',
  usage: '<kind> [--override key=value]…',
  options: {
    override: {
      type: 'string',
      multiple: true,
      value: 'K=V',
      help: 'a field of the call that causes it (a.b=c); parsed as JSON if possible',
    },
    list: { type: 'boolean', help: 'show the kinds, and why no call causes some of them' },
  },
  more: `It takes a test key. What else the calls make (a contact for a note) is real, and makes events too.`,
  async run({ values, operands, output }) {
    if (values.list) return list(output);
    const [kind = ''] = operandsOf(operands, '<kind>');
    const cause = Object.hasOwn(causes, kind) ? causes[kind as keyof typeof causes] : undefined;
    if (cause === undefined) throw new UsageError(`"${kind}" is not an event kind; crm trigger --list shows the kinds`);
    if ('not' in cause) throw new Failure(`no call causes ${kind}: ${cause.not}`);
    const fields = (values.override ?? []).map(fieldOf);
    const { url, env } = connect(values);
    if (env !== 'test') throw new UsageError('trigger needs a test key, because it creates sample data');
    const { crm } = connect(values, { fetch: telling(reaching(url), output) });
    output.result({ kind, answer: await cause({ crm, body: (usual) => overridden(usual, fields) }) }, `${kind} caused`);
  },
});

/** A body's own type is the API's to check: what the caller sets may be wrong on purpose. */
const overridden = <Body extends object>(usual: Body, fields: readonly Field[]) =>
  fields.reduce((body, field) => withField(body, field) as Body, usual);

/** Says of every call what came of it. */
const telling = (fetch: (request: Request) => Promise<Response>, output: Output) => async (request: Request) => {
  const response = await fetch(request);
  output.note(`${request.method} ${new URL(request.url).pathname} ${response.status}`);
  return response;
};

function list(output: Output): void {
  for (const [kind, cause] of Object.entries(causes)) {
    const not = 'not' in cause ? cause.not : null;
    output.result({ kind, not }, not === null ? kind : `${kind.padEnd(28)}no: ${not}`);
  }
}
