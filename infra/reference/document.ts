/** What is read here of an OpenAPI document. */
export interface Document {
  info: { title: string; version: string; description: string };
  tags: readonly { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: { parameters: Record<string, Parameter>; schemas: Record<string, unknown> };
}

export interface Operation {
  operationId: string;
  tags: readonly string[];
  summary: string;
  description?: string;
  'x-required-scopes'?: readonly string[];
  security?: readonly unknown[];
  parameters?: readonly (Parameter | { $ref: string })[];
  requestBody?: { content: Record<string, { example?: unknown }> };
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  example?: unknown;
  schema?: { enum?: readonly unknown[]; default?: unknown; example?: unknown };
}

export interface Called {
  method: string;
  path: string;
  operation: Operation;
}

/** Every operation of a tag, in the document's order. */
export const operationsOf = ({ paths }: Document, tag: string): Called[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags?.includes(tag))
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );

/** The parameters of an operation, those that it shares among them. */
export const parametersOf = ({ components }: Document, { parameters = [] }: Operation): Parameter[] =>
  parameters.map((one) =>
    '$ref' in one ? (components.parameters[one.$ref.split('/').at(-1) as string] as Parameter) : one,
  );
