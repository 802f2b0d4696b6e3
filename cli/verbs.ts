import type { Verb } from './verb.ts';
import { api } from './verbs/api.ts';
import { eventsResend } from './verbs/events-resend.ts';
import { eventsTail } from './verbs/events-tail.ts';
import { exportRecords } from './verbs/export.ts';
import { importFile } from './verbs/import.ts';
import { listen } from './verbs/listen.ts';
import { logsTail } from './verbs/logs-tail.ts';
import { mcpSetup } from './verbs/mcp-setup.ts';
import { search } from './verbs/search.ts';
import { trigger } from './verbs/trigger.ts';
import { verify } from './verbs/verify.ts';
import { whoami } from './verbs/whoami.ts';

/** By their names, in the order of the help. */
export const verbs: ReadonlyMap<string, Verb> = new Map([
  ['listen', listen],
  ['trigger', trigger],
  ['events tail', eventsTail],
  ['events resend', eventsResend],
  ['logs tail', logsTail],
  ['verify', verify],
  ['search', search],
  ['import', importFile],
  ['export', exportRecords],
  ['api', api],
  ['whoami', whoami],
  ['mcp setup', mcpSetup],
]);
