import * as v from 'valibot';
import { handler as getAgent } from '#functions/agents/get.ts';
import { handler as listAgents } from '#functions/agents/list.ts';
import { handler as testRun } from '#functions/agents/test-run.ts';
import { id } from '#lib/schema.ts';
import { optional, passed, pick, type Tool } from '../tool.ts';
import { object, paging } from './common.ts';

export const agentTools: Tool[] = [
  {
    name: 'agents_test',
    title: 'Read or try AI agents',
    description: 'AI agents, or the reply that one would draft. Nothing is sent or kept.',
    effect: 'reads',
    uses: {
      by: 'action',
      description: 'get, test_run need id',
      values: { list: [listAgents], get: [getAgent], test_run: [testRun] },
    },
    takes: {
      id: passed(id(), 'Agent id'),
      ...pick(listAgents.route.query, { status: 'Status', q: 'Name contains' }),
      ...optional(
        pick(testRun.route.body, {
          message: 'What the contact writes',
          contactId: 'Whose context to use',
        }),
      ),
      history: passed(v.array(v.object({})), '{role: contact or agent, text}'),
      ...paging(listAgents),
    },
    gives: object,
    run(ask, args) {
      const { action } = args;
      return ask(action === 'list' ? listAgents : action === 'get' ? getAgent : testRun, args);
    },
  },
];
