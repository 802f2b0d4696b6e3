/** One thing said in a conversation. */
export interface Turn {
  role: 'contact' | 'agent';
  text: string;
}

/** Prompt for a language model. */
export interface Prompt {
  system: string;
  turns: readonly Turn[];
}

export interface Completion {
  text: string;
  inputTokens: number;
  outputTokens: number;
}

/** A language model that continues a conversation as the agent. */
export interface Model {
  name: string;
  /** Tokens that an answer has at most. */
  maxTokens: number;
  complete(prompt: Prompt): Promise<Completion>;
  /** Whether a call that failed so may have cost what it would have cost. */
  mayHaveCost(error: unknown): boolean;
}
