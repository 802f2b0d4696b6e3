import type * as v from 'valibot';
import { Contacts } from '#lib/contacts/contact.ts';
import type { Caller } from '#lib/keys/identify.ts';
import { conflict, notFound, Problem, unknownReference } from '#lib/problem.ts';
import { listPage, type Page, searching } from '#lib/table/list.ts';
import type { Transaction } from '#lib/table/transaction.ts';
import { type AgentQuery, Agents, type CreateAgent, type StoredAgent, type TestRun } from './agent.ts';
import { bedrockModel } from './bedrock.ts';
import { readCompletion, systemPrompt } from './prompt.ts';
import { sandboxModel } from './sandbox.ts';

/** An agent with its instructions. Raises 404. */
export const getAgent = (tx: Transaction, id: number): Promise<StoredAgent> =>
  tx.get(Agents, { id }, () => notFound('agent'));

/** Agents in descending order of id. */
export const listAgents = (
  tx: Transaction,
  { status, q, ...paging }: v.InferOutput<typeof AgentQuery>,
): Promise<Page<StoredAgent>> =>
  listPage(tx, Agents, {
    ...paging,
    indexes: status === undefined ? [] : [`status=${status}`],
    texts: searching(q),
  });

/** A new agent; agents are made in the panel. */
export const createAgent = async (tx: Transaction, input: v.InferOutput<typeof CreateAgent>): Promise<StoredAgent> =>
  tx.create(Agents, { ...input, id: await tx.nextId(Agents), createdAt: tx.now, updatedAt: null });

/** Switches an agent on or off. Raises 404. */
export async function setAgentStatus(tx: Transaction, id: number, status: StoredAgent['status']): Promise<StoredAgent> {
  const agent = await getAgent(tx, id);
  return agent.status === status ? agent : tx.update(Agents, { ...agent, status, updatedAt: tx.now });
}

/**
 * What the agent would answer; nothing is sent or stored. With a contact its context is added, which takes contacts:read.
 * Raises 404, 403, 409 for a disabled agent, 400 for an unknown contact, 503 when the model takes too long.
 */
export async function testRun(
  tx: Transaction,
  caller: Caller,
  id: number,
  { message, contactId, history }: v.InferOutput<typeof TestRun>,
) {
  if (contactId !== null && !caller.scopes.includes('contacts:read')) {
    throw new Problem('forbidden', 'a test run with a contact takes the scope contacts:read', {
      reason: 'missing_scope',
      requiredScopes: ['contacts:read'],
    });
  }
  const [agent, contact] = await Promise.all([
    getAgent(tx, id),
    contactId === null ? undefined : tx.find(Contacts, { id: contactId }),
  ]);
  if (contactId !== null && !contact) throw unknownReference('contactId');
  if (agent.status === 'disabled') throw conflict('agent_disabled', 'a disabled agent cannot be tried');
  const model = tx.tenant.env === 'live' ? bedrockModel(agent.model) : sandboxModel;
  const startedAt = performance.now();
  const completion = await model.complete({
    system: systemPrompt(agent, contact),
    turns: [...history, { role: 'contact', text: message }],
  });
  const { draft, handOffReason } = readCompletion(completion.text);
  return {
    agentId: agent.id,
    draft,
    wouldHandOff: handOffReason !== null,
    handOffReason,
    model: model.name,
    inputTokens: completion.inputTokens,
    outputTokens: completion.outputTokens,
    durationMs: Math.round(performance.now() - startedAt),
    sent: false as const,
  };
}
