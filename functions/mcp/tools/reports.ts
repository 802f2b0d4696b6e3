import { handler as getDashboard } from '#functions/analytics/dashboard.ts';
import { handler as analyseMessaging } from '#functions/analytics/messaging.ts';
import { handler as getPipeline } from '#functions/pipelines/get.ts';
import { handler as listPipelines } from '#functions/pipelines/list.ts';
import { handler as listColumns } from '#functions/pipelines/list-columns.ts';
import { idInput } from '#lib/core/schema.ts';
import { object, paging, withFilters } from '#lib/mcp/common.ts';
import { passed, pick, type Tool } from '#lib/mcp/tool.ts';

export const reportTools: Tool[] = [
  {
    name: 'reports_get',
    title: 'Reports and pipelines',
    description: 'Figures of a range, messages per period or account, pipelines with counts per stage.',
    effect: 'reads',
    uses: {
      by: 'report',
      description: 'pipelines with id: one',
      values: {
        dashboard: [getDashboard],
        messaging: [analyseMessaging],
        pipelines: [listPipelines, getPipeline],
        pipeline_columns: [listColumns],
      },
    },
    takes: {
      ...withFilters(
        pick(analyseMessaging.route.query, {
          from: 'Default 30 days ago',
          to: 'Default now',
        }),
        { dashboard: getDashboard, messaging: analyseMessaging, pipelines: listPipelines },
        { groupBy: '(day, week, month, account)' },
      ),
      id: passed(idInput(), 'Pipeline id'),
      ...paging(listPipelines),
    },
    gives: object,
    run(ask, args) {
      switch (args['report']) {
        case 'dashboard':
          return ask(getDashboard, args);
        case 'messaging':
          return ask(analyseMessaging, args);
        case 'pipeline_columns':
          return ask(listColumns, args);
        default:
          return ask(args['id'] === undefined ? listPipelines : getPipeline, args);
      }
    },
  },
];
