import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import type { Answer, Client } from '#test/client.ts';

/** What there is to cause events with, in a workspace that has a contact. */
export interface Causing {
  live: Client;
  /** Demands success; the answer's body. */
  post(path: string, body?: object): Promise<Answer['body']>;
  asOperator<Result>(work: (tx: UnitOfWork) => Promise<Result>): Promise<Result>;
  contactId: number;
}

/** Causes an event of every kind of a noun: `test/<noun>/causes.ts` exports it. */
export type CauseEvents = (causing: Causing) => Promise<void>;
