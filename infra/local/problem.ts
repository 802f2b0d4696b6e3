/** What the operator can mend: told in one line, without a stack trace. */
export class StartProblem extends Error {}
