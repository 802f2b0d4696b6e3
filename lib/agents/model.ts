/** One thing said in a conversation. */
export interface Turn {
  role: 'contact' | 'agent';
  text: string;
}

/** What a language model is asked. */
interface Prompt {
  system: string;
  turns: readonly Turn[];
}

interface Completion {
  text: string;
  inputTokens: number;
  outputTokens: number;
}

/** A language model that continues a conversation as the agent. */
export interface Model {
  name: string;
  complete(prompt: Prompt): Promise<Completion>;
}
