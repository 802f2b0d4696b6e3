import * as v from 'valibot';
import { handler as listEvents } from '#functions/events/list.ts';
import { handler as listEventKinds } from '#functions/webhooks/event-kinds.ts';
import { handler as getEndpoint } from '#functions/webhooks/get.ts';
import { handler as getDelivery } from '#functions/webhooks/get-delivery.ts';
import { handler as listEndpoints } from '#functions/webhooks/list.ts';
import { handler as listDeliveries } from '#functions/webhooks/list-deliveries.ts';
import { idInput } from '#lib/core/schema.ts';
import { object, paging, withFilters } from '#lib/mcp/common.ts';
import { passed, type Tool } from '#lib/mcp/tool.ts';

export const webhookTools: Tool[] = [
  {
    name: 'webhooks_get',
    title: 'Webhooks and events',
    description: 'Endpoints, the deliveries of one, kinds of events, or the event feed, oldest first.',
    effect: 'reads',
    uses: {
      by: 'view',
      description: 'deliveries needs id',
      values: {
        endpoints: [listEndpoints, getEndpoint],
        deliveries: [listDeliveries, getDelivery],
        event_kinds: [listEventKinds],
        events: [listEvents],
      },
    },
    takes: {
      ...withFilters(
        {
          id: passed(idInput(), 'Endpoint id'),
          deliveryId: passed(v.string(), 'One delivery'),
          since: passed(v.union([v.string(), v.number()]), 'Of events: nextCursor; of deliveries: ISO time'),
        },
        { endpoints: listEndpoints, deliveries: listDeliveries, events: listEvents },
      ),
      ...paging(listEndpoints),
    },
    gives: object,
    run(ask, args) {
      switch (args['view']) {
        case 'endpoints':
          return ask(args['id'] === undefined ? listEndpoints : getEndpoint, args);
        case 'deliveries':
          return ask(args['deliveryId'] === undefined ? listDeliveries : getDelivery, args);
        case 'event_kinds':
          return ask(listEventKinds, args);
        default:
          return ask(listEvents, args);
      }
    },
  },
];
