import { type JsonSchema, withInner } from './inner.ts';

/** A field that shows what each has, of those that are not called after a resource and its field, as any other is that stands in several places. */
const published: Readonly<Record<string, string>> = {
  AccountState: 'AccountStatusChangedEvent.data.to_status',
  AccountStatus: 'Account.status',
  ActiveDealStage: 'CreateDeal.stage',
  ActorType: 'EventActor.type',
  AgentStatus: 'Agent.status',
  AttachmentStatus: 'Attachment.status',
  AuthenticationOutcome: 'EmailAuthentication.verdict',
  Channel: 'Message.channel',
  ContactStage: 'Contact.stage',
  DealStage: 'Deal.stage',
  DealStageKey: 'SetDealStage.stage',
  DeliveryStatus: 'Delivery.status',
  EmailThreadStatus: 'EmailThread.status',
  EndpointStatus: 'Endpoint.status',
  EnrollmentStatus: 'Enrollment.status',
  Environment: 'Key.env',
  ErrorCode: 'ApiError.error',
  EventKind: 'TestEndpoint.eventKind',
  EventSubscription: 'CreateEndpoint.eventKinds[]',
  FieldErrorCode: 'FieldError.code',
  FieldObject: 'CreateField.object',
  FieldType: 'CreateField.type',
  InboundMode: 'PatchAccount.inbound',
  InvoiceStatus: 'Invoice.status',
  JobSource: 'Job.source',
  JobStatus: 'Job.status',
  MessageDirection: 'Message.direction',
  MessageStatus: 'Message.status',
  MessagingGrouping: 'MessagingAnalytics.groupBy',
  PipelineKind: 'Pipeline.kind',
  Platform: 'Contact.platform',
  Scope: 'Key.scopes[]',
  SequenceStatus: 'Sequence.status',
  SuppressionReason: 'Suppression.reasons[]',
  TaskPriority: 'Task.priority',
  TaskPriorityKey: 'CreateTask.priority',
  TaskStatus: 'Task.status',
  TaskStatusKey: 'SetTaskStatus.status',
  TransactionSource: 'Transaction.source',
  TransactionStatus: 'Transaction.status',
  TransactionType: 'Transaction.type',
};

type Schemas = Record<string, JsonSchema>;
type Names = ReadonlyMap<string, string>;

/** The document with one component for each enum that several fields share, so that a generated client has one type of it. */
export function withNamedEnums<Document extends { components: { schemas: Schemas } }>(
  document: Document,
  fields = published,
): Document {
  const { schemas } = document.components;
  const told = Object.entries(fields).map(([name, field]) => ({ name, values: valuesOf(field, schemas) }));
  const enums = [...told, ...calledAfterFields(document, told)];
  const names = new Map(enums.map(({ name, values }) => [keyOf(values), name]));
  const taken = enums.find(({ name, values }) => name in schemas || names.get(keyOf(values)) !== name);
  if (taken) throw new Error(`the enum ${taken.name} has the name or the values of another`);
  const { components, ...rest } = document;
  const all = {
    ...Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, named(schema, names)])),
    ...Object.fromEntries(enums.map(({ name, values }) => [name, { type: 'string', enum: values }])),
  };
  const others = inSchemas({ ...rest, components: { ...components, schemas: undefined } }, names) as Document;
  return { ...others, components: { ...others.components, schemas: sorted(all) } };
}

interface Enum {
  name: string;
  values: readonly string[];
}

/**
 * Returns names for the unnamed enums that occur several times: the shortest name of a resource that has it, and the field. One that
 * only parameters have is called after the parameter.
 */
function calledAfterFields(
  { components, ...rest }: { components: { schemas: Schemas } },
  told: readonly Enum[],
): Enum[] {
  const known = new Set(told.map(({ values }) => keyOf(values)));
  const all = [...enumsIn(components.schemas), ...enumsIn(rest)].map(keyOf);
  const isShared = (values: readonly string[]) => all.filter((key) => key === keyOf(values)).length > 1;
  const ofFields = Object.entries(components.schemas)
    .toSorted(([one], [other]) => one.length - other.length || (one < other ? -1 : 1))
    .flatMap(([owner, { properties = {} }]) =>
      Object.entries(properties as Schemas).flatMap(([field, schema]) =>
        isEnum(schema) ? [{ name: `${owner}${capitalized(field)}`, values: valuesIn(schema) }] : [],
      ),
    );
  const ofParameters = parametersIn(rest).map(({ name, schema }) => ({
    name: capitalized(name),
    values: valuesIn(schema),
  }));
  const found = [...ofFields, ...ofParameters].filter(({ values }) => !known.has(keyOf(values)) && isShared(values));
  return [...new Map(found.toReversed().map((one) => [keyOf(one.values), one])).values()];
}

const capitalized = (name: string) => `${name[0]?.toUpperCase()}${name.slice(1)}`;

interface EnumParameter {
  name: string;
  schema: JsonSchema & { enum: string[] };
}

/** Returns every query parameter whose schema is an enum. */
function parametersIn(value: unknown): EnumParameter[] {
  if (typeof value !== 'object' || value === null) return [];
  const { in: place, schema } = value as { in?: unknown; schema?: JsonSchema };
  if (place === 'query') return schema && isEnum(schema) ? [value as EnumParameter] : [];
  return Object.values(value).flatMap(parametersIn);
}

const isEnum = (schema: JsonSchema): schema is JsonSchema & { enum: (string | null)[] } =>
  Array.isArray(schema['enum']);
const valuesIn = ({ enum: values }: { enum: readonly (string | null)[] }) => values.filter((value) => value !== null);

/** Every enum in whatever has schemas. */
function enumsIn(value: unknown): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  const own = isEnum(value as JsonSchema) ? [valuesIn(value as { enum: string[] })] : [];
  const inner = Object.entries(value).filter(([key]) => !/^examples?$|^enum$/.test(key));
  return [...own, ...inner.flatMap(([, of]) => enumsIn(of))];
}

const keyOf = (values: readonly unknown[]) => [...values].sort().join();

const sorted = (schemas: Schemas): Schemas =>
  Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)));

function valuesOf(field: string, schemas: Schemas): readonly string[] {
  const [owner = '', ...path] = field.split('.');
  let at = schemas[owner];
  for (const name of path) {
    const [property = '', items] = name.split(/(\[\])/);
    const inner = (at?.['properties'] as Schemas | undefined)?.[property];
    at = items ? (inner?.['items'] as JsonSchema | undefined) : inner;
  }
  if (!Array.isArray(at?.['enum'])) throw new Error(`${field} is no enum`);
  return at['enum'].filter((value) => value !== null);
}

/** Every schema of one of these enums becomes a reference to it. */
function named(schema: JsonSchema, names: Names): JsonSchema {
  const whole = withInner(schema, (inner) => named(inner, names));
  const { type, enum: values, ...others } = whole;
  const name = Array.isArray(values) ? names.get(keyOf(values.filter((one) => one !== null))) : undefined;
  if (name === undefined || !Array.isArray(values)) return whole;
  const reference = { $ref: `#/components/schemas/${name}` };
  return values.includes(null) ? { anyOf: [reference, { type: 'null' }], ...others } : { ...reference, ...others };
}

/** The same in what has schemas: operations, answers, parameters. */
function inSchemas(value: unknown, names: Names): unknown {
  if (Array.isArray(value)) return value.map((inner) => inSchemas(inner, names));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      if (/^examples?$/.test(key)) return [key, inner];
      return [key, key === 'schema' ? named(inner, names) : inSchemas(inner, names)];
    }),
  );
}
