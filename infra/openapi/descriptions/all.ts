import { activities } from './activities.ts';
import { agents } from './agents.ts';
import { analytics } from './analytics.ts';
import { auditEvents } from './audit-events.ts';
import { companies } from './companies.ts';
import { contacts } from './contacts.ts';
import { conversations } from './conversations.ts';
import { deals } from './deals.ts';
import { email } from './email.ts';
import { erasures } from './erasures.ts';
import { events } from './events.ts';
import { dataExports } from './exports.ts';
import { fields } from './fields.ts';
import { files } from './files.ts';
import { finance } from './finance.ts';
import { imports } from './imports.ts';
import { jobs } from './jobs.ts';
import { keys } from './keys.ts';
import { members } from './members.ts';
import { messages } from './messages.ts';
import type { Noun } from './noun.ts';
import { pipelines } from './pipelines.ts';
import { requestLogs } from './request-logs.ts';
import { savedReplies } from './saved-replies.ts';
import { search } from './search.ts';
import { sequences } from './sequences.ts';
import { system } from './system.ts';
import { tags } from './tags.ts';
import { tasks } from './tasks.ts';
import { telegram } from './telegram.ts';
import { twitter } from './twitter.ts';
import { views } from './views.ts';
import { webhooks } from './webhooks.ts';

/** Descriptions of every noun, by tag; `system` has the operations without a noun. */
export const nouns: Readonly<Record<string, Noun>> = {
  activities,
  agents,
  analytics,
  'audit-events': auditEvents,
  companies,
  contacts,
  conversations,
  deals,
  email,
  erasures,
  events,
  exports: dataExports,
  fields,
  files,
  finance,
  imports,
  jobs,
  keys,
  members,
  messages,
  pipelines,
  'request-logs': requestLogs,
  'saved-replies': savedReplies,
  search,
  sequences,
  system,
  tags,
  tasks,
  telegram,
  twitter,
  views,
  webhooks,
};

/** The schema from which another has its texts, by title. */
export const likeness: ReadonlyMap<string, string> = new Map(
  Object.values(nouns).flatMap(({ like = {} }) => Object.entries(like)),
);
