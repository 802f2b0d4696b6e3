import { expect, test } from 'vitest';
import { withNamedEnums } from '#infra/openapi/enums.ts';
import document from '#openapi' with { type: 'json' };

const statuses = ['open', 'solved'];
const withStatus = (values: readonly (string | null)[]) => ({
  properties: { status: { type: 'string', enum: values } },
});

test('an enum of several fields is named after its shortest resource, and others have no name', () => {
  const schemas = {
    CreateTicket: withStatus(statuses),
    Ticket: withStatus([...statuses, null]),
    Board: { properties: { kind: { type: 'string', enum: ['wide'] } } },
  };
  const parameters = { Status: { schema: { enum: statuses } } };
  const named = withNamedEnums({ components: { schemas }, parameters }, {});
  const reference = { $ref: '#/components/schemas/TicketStatus' };
  expect(named).toEqual({
    components: {
      schemas: {
        Board: schemas.Board,
        CreateTicket: { properties: { status: reference } },
        Ticket: { properties: { status: { anyOf: [reference, { type: 'null' }] } } },
        TicketStatus: { type: 'string', enum: statuses },
      },
    },
    parameters: { Status: { schema: reference } },
  });
});

test('one that only parameters and one field share is called after that field', () => {
  const schemas = { Ticket: withStatus(statuses) };
  const named = withNamedEnums({ components: { schemas }, parameters: [{ schema: { enum: statuses } }] }, {});
  expect(Object.keys(named.components.schemas)).toEqual(['Ticket', 'TicketStatus']);
});

test('event kinds in answers are open, so that clients read those that come later', () => {
  const schemas = document.components.schemas as Record<
    string,
    { properties?: Record<string, object>; anyOf?: object[] }
  >;
  const open = { anyOf: [{ $ref: '#/components/schemas/EventKind' }, { type: 'string' }] };
  for (const [owner, field] of [
    ['Delivery', 'eventKind'],
    ['DeliveryDetail', 'eventKind'],
    ['EventKindDescription', 'kind'],
    ['ErasedEvent', 'event'],
  ] as const)
    expect(schemas[owner]?.properties?.[field], owner).toMatchObject(open);
  expect(schemas['Endpoint']?.properties?.['eventKinds']).toMatchObject({
    items: { anyOf: [{ $ref: '#/components/schemas/EventSubscription' }, { type: 'string' }] },
  });
  expect(schemas['AnyEvent']?.anyOf?.at(-1)).toEqual({ $ref: '#/components/schemas/OtherEvent' });
  expect(schemas['OtherEvent']?.properties).toMatchObject({ event: { type: 'string' }, data: { type: 'object' } });
});
