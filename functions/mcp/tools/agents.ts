import * as v from 'valibot';
import { handler as getAgent } from '#functions/agents/get.ts';
import { handler as listAgents } from '#functions/agents/list.ts';
import { handler as testRun } from '#functions/agents/test-run.ts';
import { idInput } from '#lib/core/schema.ts';
import { object, paging, withFilters } from '#lib/mcp/common.ts';
import { optional, passed, pick, type Tool } from '#lib/mcp/tool.ts';

export const agentTools: Tool[] = [
  {
    name: 'agents_test',
    title: 'Read or try AI agents',
    description:
      'AI agents, or the reply that one would draft: nothing is sent or kept, but each test_run costs tokens.',
    effect: 'asks a model',
    reachesOut: true,
    uses: {
      by: 'action',
      description: 'get, test_run need id',
      values: { list: [listAgents], get: [getAgent], test_run: [testRun] },
    },
    takes: {
      ...withFilters(
        {
          id: passed(idInput(), 'Agent id'),
          ...pick(listAgents.route.query, { status: 'Status', q: 'Name contains' }),
        },
        { agents: listAgents },
      ),
      ...optional(
        pick(testRun.route.body, {
          message: 'What the contact writes',
          contactId: 'Whose context to use',
        }),
      ),
      history: passed(v.array(v.object({ role: v.picklist(['contact', 'agent']), text: v.string() })), 'Earlier turns'),
      ...paging(listAgents),
    },
    gives: object,
    run(ask, args) {
      const { action } = args;
      return ask(action === 'list' ? listAgents : action === 'get' ? getAgent : testRun, args);
    },
  },
];
