import * as v from 'valibot';
import { choice, id, nullableText, paging, queryText, text, time } from '#lib/schema.ts';
import { entity } from '#lib/table/entity.ts';
import { searchEntry } from '#lib/table/list.ts';

const statuses = ['active', 'disabled'] as const;
const channels = ['telegram', 'twitter', 'email'] as const;

const shown = {
  id: v.number(),
  name: v.string(),
  description: v.nullable(v.string()),
  status: v.picklist(statuses),
  channels: v.array(v.picklist(channels)),
  accountIds: v.array(v.number()),
  model: v.string(),
  language: v.nullable(v.string()),
  handoffEnabled: v.boolean(),
  createdAt: time(),
  updatedAt: v.nullable(time()),
};

/** An AI agent as lists show it (contract section 17). */
export const Agent = v.pipe(v.object(shown), v.title('Agent'));
export const AgentWithInstructions = v.pipe(
  v.object({ ...shown, instructions: v.string() }),
  v.title('AgentWithInstructions'),
);

export const CreateAgent = v.object({
  name: text(200),
  description: v.optional(nullableText(1000), null),
  instructions: text(20_000),
  model: text(200),
  channels: v.pipe(v.array(choice(channels)), v.minLength(1, 'must have at least 1 channel')),
  accountIds: v.optional(v.array(id()), []),
  language: v.optional(nullableText(35), null),
  handoffEnabled: v.optional(v.boolean(), true),
  status: v.optional(choice(statuses), 'active'),
});

export const AgentStatus = v.object({ status: choice(statuses) });

export const AgentQuery = v.object({
  ...paging,
  status: v.optional(choice(statuses)),
  q: v.optional(queryText()),
});

const speakers = ['contact', 'agent'] as const;

export const TestRun = v.pipe(
  v.object({
    message: text(4000),
    contactId: v.optional(v.nullable(id()), null),
    history: v.optional(
      v.pipe(
        v.array(v.object({ role: choice(speakers), text: text(4000) })),
        v.maxLength(20, 'must have at most 20 entries'),
      ),
      [],
    ),
  }),
  v.title('AgentTestRun'),
);

export const TestRunAnswer = v.pipe(
  v.object({
    agentId: v.number(),
    draft: v.string(),
    wouldHandOff: v.boolean(),
    handOffReason: v.nullable(v.string()),
    model: v.string(),
    inputTokens: v.number(),
    outputTokens: v.number(),
    durationMs: v.number(),
    sent: v.literal(false),
  }),
  v.title('AgentTestRunAnswer'),
);

export const Agents = entity({
  name: 'agent',
  schema: AgentWithInstructions,
  indexes: (agent) => [{ name: `status=${agent.status}` }, searchEntry([agent.name, agent.description])],
});

export type StoredAgent = v.InferOutput<(typeof Agents)['schema']>;
