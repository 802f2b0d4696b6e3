import type { Entity } from '#lib/table/entity.ts';
import { Activities } from './activity.ts';
import { Companies, CompanyActivities } from './company.ts';
import { Contacts } from './contact.ts';
import { Deals } from './deal.ts';
import { Threads } from './email-thread.ts';
import { Enrollments } from './enrollment.ts';
import { Exports } from './export.ts';
import { Identities } from './identity.ts';
import { Invoices } from './invoice.ts';
import { Jobs } from './job.ts';
import { Messages } from './message.ts';
import { Tasks } from './task.ts';
import { Transactions } from './transaction.ts';

/**
 * Entities that refer to contacts: a function that merges or renames carries no others. Made of their `references` by
 * `npm run entities`.
 */
export const namingContacts: readonly Entity[] = [
  Activities,
  Companies,
  CompanyActivities,
  Contacts,
  Deals,
  Enrollments,
  Exports,
  Identities,
  Invoices,
  Jobs,
  Messages,
  Tasks,
  Threads,
  Transactions,
];
