import type { Need } from '#lib/core/needs.ts';
import { endpointsOf, type Tool } from '#lib/mcp/tool.ts';
import { agentTools } from './agents.ts';
import { batchTools } from './batch.ts';
import { companyTools } from './companies.ts';
import { contactTools } from './contacts.ts';
import { dealTools } from './deals.ts';
import { emailTools } from './email.ts';
import { financeTools } from './finance.ts';
import { messageTools } from './messages.ts';
import { reportTools } from './reports.ts';
import { sequenceTools } from './sequences.ts';
import { taskTools } from './tasks.ts';
import { webhookTools } from './webhooks.ts';
import { workspaceTools } from './workspace.ts';

/** Every tool, in the order in which clients see them. */
export const tools: readonly Tool[] = [
  ...workspaceTools,
  ...contactTools,
  ...companyTools,
  ...messageTools,
  ...dealTools,
  ...taskTools,
  ...batchTools,
  ...financeTools,
  ...emailTools,
  ...sequenceTools,
  ...reportTools,
  ...webhookTools,
  ...agentTools,
];

/** Needs of all operations behind the tools. */
export const needs: readonly Need[] = [
  ...new Set(tools.flatMap(endpointsOf).flatMap(({ route }) => route.needs ?? [])),
];
