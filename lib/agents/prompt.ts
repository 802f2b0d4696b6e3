import type { StoredContact } from '#lib/contacts/contact.ts';
import type { StoredAgent } from './agent.ts';

/** How a model says that a person should take over: a first line, which works with every model. */
export const handOffMark = '[HAND OFF]';

/** What the model is told before the conversation. */
export function systemPrompt(agent: StoredAgent, contact: StoredContact | undefined): string {
  return [
    agent.instructions,
    agent.language && `Answer in this language: ${agent.language}.`,
    agent.handoffEnabled &&
      `When a person should take over, make the first line "${handOffMark}" and the reason, then the draft below it.`,
    contact && `What is known about the contact:\n${contextOf(contact)}`,
  ]
    .filter(Boolean)
    .join('\n\n');
}

/** The draft and whether the model wants a person to take over. */
export function readCompletion(text: string): { draft: string; handOffReason: string | null } {
  const trimmed = text.trim();
  if (!trimmed.startsWith(handOffMark)) return { draft: trimmed, handOffReason: null };
  const [first = '', ...rest] = trimmed.split('\n');
  return { draft: rest.join('\n').trim(), handOffReason: first.slice(handOffMark.length).trim() || 'not stated' };
}

function contextOf({ name, username, company, stage, leadScore, notes }: StoredContact): string {
  const facts = { name, username, company, stage, leadScore, notes };
  return Object.entries(facts)
    .filter(([, value]) => value !== null)
    .map(([fact, value]) => `${fact}: ${value}`)
    .join('\n');
}
