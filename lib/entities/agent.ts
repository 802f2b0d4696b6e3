import * as v from 'valibot';
import { channels } from '#lib/core/channel.ts';
import {
  choice,
  count,
  id,
  idInput,
  line,
  listInput,
  nullableLine,
  nullableText,
  paging,
  queryText,
  storedChoice,
  text,
  time,
} from '#lib/core/schema.ts';
import { entity } from '#lib/table/entity.ts';
import { searchable } from '#lib/table/list.ts';

const statuses = ['active', 'disabled'] as const;

const maxAccounts = 100;

/** Texts by which callers describe an agent. */
const given = {
  name: line(200),
  description: nullableText(1000),
  instructions: text(20_000),
  model: line(200),
  language: nullableLine(35),
};

const shown = {
  id: id(),
  name: v.string(),
  description: v.nullable(v.string()),
  status: storedChoice(statuses),
  channels: v.array(storedChoice(channels)),
  accountIds: v.array(id()),
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

const settings = {
  ...given,
  channels: v.pipe(
    listInput(choice(channels), channels.length, 'channels'),
    v.minLength(1, 'must have at least 1 channel'),
  ),
  accountIds: listInput(idInput(), maxAccounts, 'accounts'),
  handoffEnabled: v.boolean(),
  status: choice(statuses),
};

/** Fields that the panel sets. */
export const CreateAgent = v.pipe(
  v.object({
    ...settings,
    description: v.optional(settings.description, null),
    accountIds: v.optional(settings.accountIds, []),
    language: v.optional(settings.language, null),
    handoffEnabled: v.optional(settings.handoffEnabled, true),
    status: v.optional(settings.status, 'active'),
  }),
  v.title('CreateAgent'),
);

export const PatchAgent = v.pipe(v.partial(v.object(settings)), v.title('PatchAgent'));

export const AgentQuery = v.object({
  ...paging,
  status: v.optional(choice(statuses)),
  q: v.optional(queryText()),
});

const speakers = ['contact', 'agent'] as const;

const Turn = v.pipe(v.object({ role: choice(speakers), text: text(4000) }), v.title('AgentTurn'));

export const TestRun = v.pipe(
  v.object({
    message: text(4000),
    contactId: v.optional(v.nullable(idInput()), null),
    history: v.optional(listInput(Turn, 20, 'entries'), []),
  }),
  v.title('AgentTestRun'),
);

export const TestRunAnswer = v.pipe(
  v.object({
    agentId: id(),
    draft: v.string(),
    wouldHandOff: v.boolean(),
    handOffReason: v.nullable(v.string()),
    model: v.string(),
    inputTokens: count(),
    outputTokens: count(),
    durationMs: count(),
    sent: v.literal(false),
  }),
  v.title('AgentTestRunAnswer'),
);

/** An AI agent with its instructions. */
export const Agents = entity({
  name: 'agent',
  schema: AgentWithInstructions,
  indexes: {
    status: ({ status }) => status,
    search: { copy: ({ name, description }) => searchable(name, description) },
  },
});

export type StoredAgent = v.InferOutput<(typeof Agents)['schema']>;
