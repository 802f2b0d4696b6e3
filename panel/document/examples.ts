import { type Called, type Document, isPublic, jsonOf, parametersOf, resolved } from './document.ts';

/** A call as it is made: with the examples of the document, or with what somebody typed. */
export interface Sample {
  method: string;
  /** With its variables: `/v1/contacts/{id}`. */
  path: string;
  variables: Record<string, unknown>;
  query: Record<string, unknown>;
  body: unknown;
  needsKey: boolean;
  /** Read page by page. */
  isList: boolean;
  isWrite: boolean;
}

/** An operation with the document's example of everything that it needs. */
export function sampleOf(document: Document, { method, path, operation }: Called): Sample {
  const parameters = parametersOf(document, operation);
  const query = parameters.filter((parameter) => parameter.in === 'query');
  const isList = isListOf(document, { method, path, operation });
  const examples = (of: typeof parameters) => Object.fromEntries(of.map((one) => [one.name, exampleOf(document, one)]));
  return {
    method,
    path,
    variables: examples(parameters.filter((parameter) => parameter.in === 'path')),
    query: { ...(isList && { limit: 100 }), ...examples(query.filter(({ required }) => required)) },
    body: jsonOf(operation.requestBody)?.example,
    needsKey: !isPublic(operation),
    isList,
    isWrite: parameters.some(({ name }) => name === 'Idempotency-Key'),
  };
}

type Given = ReturnType<typeof parametersOf>[number];

export function exampleOf(document: Document, { example, name, schema: given = {} }: Given): unknown {
  const schema = resolved(document, given);
  return example ?? schema.example ?? schema.examples?.[0] ?? schema.default ?? schema.enum?.[0] ?? `<${name}>`;
}

function isListOf(document: Document, { method, operation }: Called): boolean {
  const ok = operation.responses?.['200'];
  const { schema } = (ok && 'content' in ok && jsonOf(ok)) || {};
  const pages = schema && resolved(document, schema).properties;
  const after = parametersOf(document, operation).some(({ name }) => name === 'after');
  return method === 'GET' && after && pages?.['items'] !== undefined && pages['nextCursor'] !== undefined;
}

/** The path with its variables filled in, and its query. */
export function addressOf({ path, variables, query }: Sample): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(variables[name] ?? '')));
  const pairs = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).map(([key, one]) => [`${name}[${key}]`, String(one)])
      : [[name, String(value)]],
  );
  return pairs.length === 0 ? filled : `${filled}?${new URLSearchParams(pairs)}`;
}

/** Ways to call an operation, by the name of each. */
export const languages: Record<string, (sample: Sample, baseUrl: string) => string> = {
  curl: curlOf,
  TypeScript: typescriptOf,
  Python: pythonOf,
};

function curlOf(sample: Sample, baseUrl: string): string {
  const { method, needsKey, isWrite, body } = sample;
  const parts = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quoted(`${baseUrl}${addressOf(sample)}`)}`,
    needsKey && '-H "Authorization: Bearer $CRM_API_KEY"',
    isWrite && '-H "Idempotency-Key: $(date +%s)-$$"',
    body !== undefined && "-H 'Content-Type: application/json'",
    body !== undefined && `-d ${quoted(JSON.stringify(body, null, 2))}`,
  ];
  return parts.filter(Boolean).join(' \\\n  ');
}

/** For a POSIX shell. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

function typescriptOf(sample: Sample, baseUrl: string): string {
  const { method, path, variables, query, body, isList } = sample;
  const params = {
    ...(Object.keys(variables).length > 0 && { path: variables }),
    ...(Object.keys(query).length > 0 && { query }),
  };
  const given = {
    ...(Object.keys(params).length > 0 && { params }),
    ...(body !== undefined && { body }),
  };
  const name = `'${path}'`;
  const call = Object.keys(given).length > 0 ? `${name}, ${literal(given)}` : name;
  return [
    "import { createClient } from 'crm-api-client';",
    '',
    `const crm = createClient({ baseUrl: '${baseUrl}', apiKey: process.env.CRM_API_KEY ?? '' });`,
    isList
      ? `for await (const one of crm.list(${call})) console.log(one);`
      : `console.log(await crm.${method.toLowerCase()}(${call}));`,
  ].join('\n');
}

/** A value as TypeScript writes it. */
function literal(value: unknown, indent = ''): string {
  if (typeof value === 'string')
    return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
  if (typeof value !== 'object' || value === null) return String(value);
  const deeper = `${indent}  `;
  const lines = Array.isArray(value)
    ? value.map((one) => literal(one, deeper))
    : Object.entries(value).map(
        ([key, one]) => `${/^[A-Za-z_]\w*$/.test(key) ? key : `'${key}'`}: ${literal(one, deeper)}`,
      );
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (lines.length === 0) return open + close;
  const line = Array.isArray(value) ? `[${lines.join(', ')}]` : `{ ${lines.join(', ')} }`;
  if (line.length + indent.length <= 60 && !line.includes('\n')) return line;
  return `${open}\n${lines.map((one) => `${deeper}${one},\n`).join('')}${indent}${close}`;
}

function pythonOf(sample: Sample, baseUrl: string): string {
  const { method, needsKey, isWrite, body } = sample;
  const headers = [
    needsKey && `"Authorization": f"Bearer {os.environ['CRM_API_KEY']}"`,
    isWrite && '"Idempotency-Key": str(uuid.uuid4())',
  ].filter(Boolean);
  const parts = [
    `"${baseUrl}${addressOf(sample)}"`,
    headers.length > 0 && `headers={${headers.join(', ')}}`,
    body !== undefined && `json=${pythonLiteral(body, '    ')}`,
    'timeout=30',
  ].filter(Boolean);
  return [
    ...(needsKey ? ['import os'] : []),
    ...(isWrite ? ['import uuid'] : []),
    ...(needsKey || isWrite ? [''] : []),
    'import requests',
    '',
    `answer = requests.${method.toLowerCase()}(`,
    ...parts.map((part) => `    ${part},`),
    ')',
    'answer.raise_for_status()',
    'print(answer.json())',
  ].join('\n');
}

/** A value as Python writes it: its strings are JSON's, its words are not. */
function pythonLiteral(value: unknown, indent: string): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const deeper = `${indent}    `;
  const lines = Array.isArray(value)
    ? value.map((one) => pythonLiteral(one, deeper))
    : Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${pythonLiteral(one, deeper)}`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (lines.length === 0) return open + close;
  return `${open}\n${lines.map((one) => `${deeper}${one},\n`).join('')}${indent}${close}`;
}
