import { connect } from '../connection.ts';
import { noOperands } from '../operands.ts';
import { printable } from '../output.ts';
import { verb } from '../verb.ts';

export const whoami = verb({
  summary: 'Shows whose key this is and what it may do.',
  usage: '',
  options: {},
  async run({ values, operands, output }) {
    noOperands(operands);
    const { crm, url, env } = connect(values);
    const me = await crm.get('/v1/me');
    const { keyId, scopes } = me.apiKey;
    const lines = [
      `workspace  ${me.id} ${printable(me.name ?? '')} <${printable(me.email)}>`,
      `key        ${keyId} (${env})`,
      `scopes     ${scopes.join(' ')}`,
      `api        ${url}`,
    ];
    output.result({ ...me, env, url }, lines.join('\n'));
  },
});
