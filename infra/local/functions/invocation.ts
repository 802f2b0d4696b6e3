/** Lambda's limit of an event, and of what a function answers, as JSON in UTF-8. */
export const maxPayloadBytes = 6_291_556;

/** Where the code of a function is: `handler` names a module of the folder, and what it exports. */
interface Code {
  folder: string;
  handler: string;
}

/** Settings that are the same for all invocations of a function in a thread. */
export interface Surroundings {
  code: Code;
  /** All variables that the function finds. */
  environment: Record<string, string>;
  /** Properties of the function in the context. */
  identity: Record<string, string>;
}

/** One invocation, as it goes to the thread. */
export interface Call {
  functionName: string;
  /** With the first invocation of this function alone: they are most of what a call says. */
  surroundings?: Surroundings | undefined;
  event: string;
  requestId: string;
  timeoutMs: number;
}

export interface InvocationError {
  errorType: string;
  errorMessage: string;
  trace: string[];
}

/** Result of an invocation: the handler's result as JSON, or the error that it threw. */
export type Answer = { payload: string; error?: never } | { error: InvocationError; payload?: never };

/** Whole lines that a function wrote, to standard error or not. */
export interface Output {
  text: string;
  isError: boolean;
}

export type FromThread = { answer: Answer } | { isLoaded: boolean } | { output: Output & { of: string } };
