import type { Model } from './model.ts';
import { handOffMark } from './prompt.ts';
import { tokensOf } from './tokens.ts';

const wantsPerson = /\b(human|person|manager|complaint|test_handoff)\b/i;

/** The model of test keys: the same answer to the same question, and nothing leaves the service. */
export const sandboxModel: Model = {
  name: 'sandbox',
  maxTokens: 1024,
  async complete({ system, turns }) {
    const asked = turns.at(-1)?.text ?? '';
    const draft = `Thank you for your message: "${asked}"`;
    const text =
      wantsPerson.test(asked) && system.includes(handOffMark) ? `${handOffMark} asked for a person\n${draft}` : draft;
    return {
      text,
      inputTokens: tokensOf(system, ...turns.map((turn) => turn.text)),
      outputTokens: tokensOf(text),
    };
  },
  mayHaveCost: () => false,
};
