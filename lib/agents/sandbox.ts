import type { Model } from './model.ts';
import { handOffMark } from './prompt.ts';

const wantsPerson = /\b(human|person|manager|complaint|test_handoff)\b/i;
const tokensOf = (text: string) => Math.ceil(text.length / 4);

/** The model of test keys: the same answer to the same question, and nothing leaves the service. */
export const sandboxModel: Model = {
  name: 'sandbox',
  async complete({ system, turns }) {
    const asked = turns.at(-1)?.text ?? '';
    const draft = `Thank you for your message: "${asked}"`;
    const text =
      wantsPerson.test(asked) && system.includes(handOffMark) ? `${handOffMark} asked for a person\n${draft}` : draft;
    return {
      text,
      inputTokens: tokensOf([system, ...turns.map((turn) => turn.text)].join('')),
      outputTokens: tokensOf(text),
    };
  },
};
