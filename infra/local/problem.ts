/** What the operator can mend: shown in one line, without a stack trace. */
export class StartProblem extends Error {}
