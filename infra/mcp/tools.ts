import { endpointsOf, type Tool } from '#lib/mcp/tool.ts';
import type { Need } from '#lib/needs.ts';
import { agentTools } from './tools/agents.ts';
import { batchTools } from './tools/batch.ts';
import { contactTools } from './tools/contacts.ts';
import { dealTools } from './tools/deals.ts';
import { emailTools } from './tools/email.ts';
import { financeTools } from './tools/finance.ts';
import { messageTools } from './tools/messages.ts';
import { reportTools } from './tools/reports.ts';
import { sequenceTools } from './tools/sequences.ts';
import { taskTools } from './tools/tasks.ts';
import { webhookTools } from './tools/webhooks.ts';
import { workspaceTools } from './tools/workspace.ts';

/** Every tool, in the order in which clients see them. */
export const tools: readonly Tool[] = [
  ...workspaceTools,
  ...contactTools,
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

/** What the operations behind them may use. */
export const needs: readonly Need[] = [
  ...new Set(tools.flatMap(endpointsOf).flatMap(({ route }) => route.needs ?? [])),
];
