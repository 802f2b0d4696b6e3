import { isDeepStrictEqual } from 'node:util';
import type * as v from 'valibot';
import { oncePer } from '#lib/core/async.ts';
import type { Caller } from '#lib/core/caller.ts';
import { secondMs } from '#lib/core/clock.ts';
import { log } from '#lib/core/log.ts';
import { conflict, notFound, Problem, unknownReference } from '#lib/core/problem.ts';
import type { Tenant } from '#lib/core/tenant.ts';
import { modelTimeoutSeconds } from '#lib/core/timeouts.ts';
import { Accounts } from '#lib/entities/account.ts';
import {
  type AgentQuery,
  Agents,
  type CreateAgent,
  type PatchAgent,
  type StoredAgent,
  type TestRun,
} from '#lib/entities/agent.ts';
import { Contacts } from '#lib/entities/contact.ts';
import { listPage, type Page, searched } from '#lib/table/list.ts';
import { listingFrom } from '#lib/table/listing.ts';
import { reserve, settle } from '#lib/table/quota.ts';
import { inSlot } from '#lib/table/slots.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { bedrockModel } from './bedrock.ts';
import type { Completion, Model, Prompt } from './model.ts';
import { contactTurn, readCompletion, systemPrompt } from './prompt.ts';
import { sandboxModel } from './sandbox.ts';
import { tokensOf } from './tokens.ts';

/** An agent with its instructions. Raises 404. */
export const getAgent = (tx: UnitOfWork, id: number): Promise<StoredAgent> =>
  tx.get(Agents, { id }, () => notFound('agent'));

/** Agents in descending order of id. */
export const listAgents = (tx: UnitOfWork, query: v.InferOutput<typeof AgentQuery>): Promise<Page<StoredAgent>> =>
  listPage(tx, Agents, listingFrom(Agents, query, { q: (q) => ({ contains: { search: searched(q) } }) }));

/** A new agent; agents are made in the panel. Raises 400 for an unknown account. */
export async function createAgent(tx: UnitOfWork, input: v.InferOutput<typeof CreateAgent>): Promise<StoredAgent> {
  await requireAccounts(tx, input.accountIds);
  return tx.create(Agents, { ...input, id: await tx.nextId(Agents), createdAt: tx.now, updatedAt: null });
}

async function requireAccounts(tx: UnitOfWork, ids: readonly number[] = []): Promise<void> {
  const distinct = [...new Set(ids)];
  const found = await tx.findAll(
    Accounts,
    distinct.map((id) => ({ id })),
  );
  if (found.length < distinct.length) throw unknownReference('accountIds');
}

/** Changes the given fields. Raises 404, 400 for an unknown account. */
export async function patchAgent(
  tx: UnitOfWork,
  id: number,
  patch: v.InferOutput<typeof PatchAgent>,
): Promise<StoredAgent> {
  const agent = await getAgent(tx, id);
  await requireAccounts(tx, patch.accountIds);
  const next = { ...agent, ...patch } as StoredAgent;
  return isDeepStrictEqual(next, agent) ? agent : tx.update(Agents, { ...next, updatedAt: tx.now });
}

/** Raises 403 for a test run with a contact, whose context it reads, without the scope contacts:read. */
export function permitTestRun({ scopes }: Caller, { contactId }: v.InferOutput<typeof TestRun>): void {
  if (contactId === null || scopes.includes('contacts:read')) return;
  throw new Problem(
    'forbidden',
    'a test run with a contact needs the scope contacts:read: leave contactId out, or use a key that has it',
    {
      reason: 'missing_scope',
      requiredScopes: ['contacts:read'],
    },
  );
}

/**
 * Returns the answer that the agent would give, with the context of a contact if one is named. Raises 404, 409 for a disabled agent or
 * a refused model, 400 for an unknown contact, 429 if the daily tokens or the concurrent calls are used up, 503 after a timeout.
 */
export async function testRun(
  tx: UnitOfWork,
  id: number,
  { message, contactId, history }: v.InferOutput<typeof TestRun>,
  request: object,
) {
  const [agent, contact] = await Promise.all([
    getAgent(tx, id),
    contactId === null ? undefined : tx.find(Contacts, { id: contactId }),
  ]);
  if (contactId !== null && !contact) throw unknownReference('contactId');
  if (agent.status === 'disabled')
    throw conflict('agent_disabled', 'the agent is disabled and cannot run: enable it in the panel first');
  const model = tx.tenant.env === 'live' ? bedrockModel(agent.model) : sandboxModel;
  // A conflict runs the unit of work again: the model is asked, and paid, once for a request.
  const { completion, durationMs } = await once(request, () =>
    inSlot(tx.tenant, modelTimeoutSeconds * secondMs, () =>
      ask(tx.tenant, model, {
        system: systemPrompt(agent),
        turns: [...(contact ? [contactTurn(contact)] : []), ...history, { role: 'contact', text: message }],
      }),
    ),
  );
  const { draft, handOffReason } = readCompletion(completion.text);
  return {
    agentId: agent.id,
    draft,
    wouldHandOff: handOffReason !== null,
    handOffReason,
    model: model.name,
    inputTokens: completion.inputTokens,
    outputTokens: completion.outputTokens,
    durationMs,
    sent: false as const,
  };
}

const once = oncePer<object, { completion: Completion; durationMs: number }>();

/** Asks the model within the day's tokens: an estimate is reserved before, what it used is what counts in the end. */
async function ask(tenant: Tenant, model: Model, prompt: Prompt) {
  const estimate = tokensOf(prompt.system, ...prompt.turns.map(({ text }) => text)) + model.maxTokens;
  const grant = await reserve(tenant, 'agentTokens', estimate);
  const correct = (used: number) =>
    settle(tenant, 'agentTokens', grant, used).catch((error) =>
      log().warn('the tokens of a test-run stay counted as reserved', error as Error),
    );
  const startedAt = performance.now();
  try {
    const completion = await model.complete(prompt);
    await correct(completion.inputTokens + completion.outputTokens);
    return { completion, durationMs: Math.round(performance.now() - startedAt) };
  } catch (error) {
    if (!model.mayHaveCost(error)) await correct(0);
    throw error;
  }
}
