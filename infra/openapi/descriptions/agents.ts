import type { Noun } from './noun.ts';

export const agents: Noun = {
  about: 'AI agents, which draft answers to contacts. They are written in the panel; here you can read and try them.',
  operations: {
    agentsList:
      'Lists the AI agents of the workspace, newest first, without their instructions. Use it to find the agent you want to try. Agents are created and changed in the panel only.',
    agentsGet:
      'Returns one AI agent with its instructions. Use it to see what the agent has been told before you try it. Instructions are changed in the panel only.',
    agentsTestRun:
      'Lets an agent draft an answer to a message, without sending or storing it. Use it to check instructions before customers meet them. It costs tokens of the daily quota, except with a test key, which uses a sandbox model. It takes up to 30 seconds.',
  },
  parameters: {
    '*': { id: 'Id of the agent, as in `GET /v1/agents`.' },
    agentsList: {
      status: 'Only agents that are active, or only those that are disabled; both by default.',
      q: 'Only agents whose name or description contains all words of this text, in any case and with or without accents. At most 200 characters.',
    },
  },
  schemas: {
    Agent: {
      id: 'Id of the agent, unique within its environment.',
      name: 'Name of the agent, as the panel shows it.',
      description: 'Purpose of the agent, in words for people. Null when nobody has written it.',
      status: 'Whether the agent works. A disabled one drafts nothing and cannot be tried.',
      channels: 'The channels on which the agent answers.',
      accountIds: 'Ids of the accounts whose conversations the agent is for. Empty when nobody has chosen any.',
      model: 'Id of the Amazon Bedrock model that writes, for example `amazon.nova-lite-v1:0`.',
      language: 'Language the agent answers in, such as `en`. Null means the language of the contact.',
      handoffEnabled: 'Whether the agent may hand a conversation over to a person.',
    },
    AgentWithInstructions: { instructions: 'Instructions for the agent in plain language, at most 20,000 characters.' },
    AgentTestRun: {
      message: 'The message of the contact, 1 to 4,000 characters. The agent drafts the answer to it.',
      contactId:
        'Id of a contact whose name and history the agent gets to read. The key needs `contacts:read` for it. Default null: a stranger.',
      history: 'Earlier turns of the conversation, oldest first, at most 20. Default empty: the message is the first.',
    },
    AgentTurn: {
      role: ['The author of this turn.', { contact: 'the person outside', agent: 'the agent' }],
      text: 'The words of this turn, 1 to 4,000 characters.',
    },
    AgentTestRunAnswer: {
      agentId: 'Id of the agent that drafted the answer.',
      draft: 'The answer that the agent would send. Nothing was sent.',
      wouldHandOff: 'Whether the agent would pass the conversation to a person instead.',
      handOffReason: 'Why the agent would hand over, in its own words. Null when it would not.',
      model: 'Id of the model that wrote the draft; `sandbox` for a test key.',
      inputTokens: 'Tokens that were read: instructions, history, and message. They count against the daily quota.',
      outputTokens: 'Tokens that were written. They count against the daily quota too.',
      durationMs: 'How long the model took, in milliseconds.',
      sent: 'Always false: a test run never sends anything.',
    },
  },
  like: { AgentWithInstructions: 'Agent' },
  enums: { AgentStatus: 'Whether an agent works (`active`) or is switched off (`disabled`).' },
};
