import {
  type Called,
  type Document,
  operationsOf,
  type Parameter,
  parametersOf,
  resolved,
} from '#panel/document/document.ts';

/**
 * The document as a Postman collection, version 2.1: a folder for each tag, the key and the address as variables. A library for it
 * (openapi-to-postmanv2) makes another file of every run, and has every request repeat one Idempotency-Key.
 */
export function postmanCollection(document: Document): string {
  const { title, version, description } = document.info;
  const collection = {
    info: {
      name: `${title} ${version}`,
      description,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{apiKey}}', type: 'string' }] },
    variable: [
      { key: 'baseUrl', value: 'http://127.0.0.1:3000' },
      { key: 'apiKey', value: '' },
    ],
    item: document.tags
      .map(({ name, description: about }) => ({
        name,
        ...(about && { description: about }),
        item: operationsOf(document, name).map((called) => requestOf(document, called)),
      }))
      .filter(({ item }) => item.length > 0),
  };
  return `${JSON.stringify(collection, null, 2)}\n`;
}

function requestOf(document: Document, { method, path, operation }: Called) {
  const parameters = parametersOf(document, operation).map((one) => ({
    ...one,
    schema: resolved(document, one.schema ?? {}),
  }));
  const from = (place: Parameter['in']) => parameters.filter((parameter) => parameter.in === place);
  const segments = path
    .slice(1)
    .split('/')
    .map((segment) => segment.replace(/^\{(.+)\}$/, ':$1'));
  const query = from('query').map((parameter) => ({ ...described(parameter), disabled: !parameter.required }));
  const asked = query.filter(({ disabled }) => !disabled).map(({ key, value }) => [key, value]);
  const search = asked.length > 0 ? `?${new URLSearchParams(asked)}` : '';
  const body = Object.entries(operation.requestBody?.content ?? {})[0];
  return {
    name: operation.summary,
    request: {
      method,
      ...(operation.description && { description: operation.description }),
      // Public operations need no key.
      ...(operation.security?.length === 0 && { auth: { type: 'noauth' } }),
      url: {
        raw: `{{baseUrl}}/${segments.join('/')}${search}`,
        host: ['{{baseUrl}}'],
        path: segments,
        ...(query.length > 0 && { query }),
        ...(from('path').length > 0 && { variable: from('path').map(described) }),
      },
      header: [
        ...(body ? [{ key: 'Content-Type', value: body[0] }] : []),
        ...from('header').map((parameter) => ({
          ...described(parameter),
          value: headerValue(parameter),
          disabled: true,
        })),
      ],
      ...(body && { body: { mode: 'raw', raw: JSON.stringify(body[1].example ?? {}, null, 2), options } }),
    },
  };
}

const options = { raw: { language: 'json' } };

/** One that is new with every call. */
const headerValue = (parameter: Parameter) => (parameter.name === 'Idempotency-Key' ? '{{$guid}}' : shown(parameter));

const described = (parameter: Parameter) => ({
  key: parameter.name,
  value: shown(parameter),
  ...(parameter.description && { description: parameter.description }),
});

function shown({ example, schema = {} }: Parameter): string {
  const value = example ?? schema.example ?? schema.examples?.[0] ?? schema.default ?? schema.enum?.[0];
  return value === undefined ? '' : String(value);
}
