/** One invocation, as it goes to the thread. */
export interface Call {
  event: string;
  requestId: string;
  deadline: number;
}

export interface InvocationError {
  errorType: string;
  errorMessage: string;
  trace: string[];
}

/** What an invocation gives: the handler's result as JSON, or what it threw. */
export type Answer = { payload: string; error?: never } | { error: InvocationError; payload?: never };
