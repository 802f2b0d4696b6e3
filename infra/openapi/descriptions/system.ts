import type { Noun } from './noun.ts';

/** Descriptions of operations without a noun: the key itself, the health check, this document, and the MCP server. */
export const system: Noun = {
  operations: {
    meGet:
      'Returns the workspace behind the key, and the id and the scopes of the key. Use it to check a key, or to show which workspace a program is connected to. It needs no scope and never shows the secret.',
    healthGet:
      'Answers `ok` when the API is reachable. Use it for load balancers and uptime checks. It needs no key and checks nothing behind the API.',
    openapiGet:
      'Returns this document as OpenAPI 3.1. Use it to generate a client or to import the API into a tool. It needs no key and is the same for every workspace.',
    mcpPost:
      'Speaks the Model Context Protocol to AI agents: one JSON-RPC message in, one out. Use it to give a model the operations that the key allows, as tools. Streamable HTTP with JSON answers, versions 2025-03-26 to 2026-07-28, without sessions or streams.',
  },
  schemas: {
    Me: {
      id: 'Id of the workspace that the key belongs to.',
      email: 'E-mail address of the workspace, for questions about it.',
      name: 'Name of the workspace. Null when nobody has set it.',
      createdAt: 'When the workspace was created.',
      apiKey: 'The key that makes the call.',
      'apiKey.keyId': 'Public part of the key, 12 characters.',
      'apiKey.scopes': 'Permissions of the key, as scopes such as `deals:read`.',
    },
    Health: { status: 'Always `ok`: a system that cannot answer sends nothing.' },
    OpenApiDocument: { openapi: 'Version of the OpenAPI Specification that the document follows.' },
    McpMessage: {
      jsonrpc: 'Version of JSON-RPC, always `2.0`.',
      id: 'Names the request, so that the answer can be matched to it. A notification has none.',
      method: 'The request, for example `tools/call`. An answer has none.',
      params: 'Arguments of the method. For `tools/call`: the name of the tool and its arguments.',
    },
    Deleted: {
      id: 'Id of the record that was deleted.',
      deleted: 'Always true: the record does not exist any more.',
    },
    ApiError: {
      error: 'The kind of error, one of seven. Go by `details.reason` where there is one.',
      message: 'Explanation for people, with the value where it is safe. It may change; do not parse it.',
      details: 'Facts for programs. Null when the status says everything.',
    },
    ErrorDetails: {
      fields:
        'Every field that is wrong, at most 50. Nested fields are written `items[3].phone`, query parameters `query.stage`.',
      reason: 'Why the call was refused, as one word for programs. New reasons may come.',
      docs: 'Path of the page that explains the reason, from the root of the API: `/docs/#/errors/deal_won`.',
      requiredScopes: 'With reason `missing_scope`: the call needs one of these scopes.',
      retryAfterSeconds: 'With status 429: how many seconds to wait, as in `Retry-After`.',
    },
    FieldError: {
      field: 'Name of the field, with its place: `items[3].phone`.',
      code: 'The mistake, as one word for programs.',
      message: 'The mistake and the accepted form, in words for people.',
    },
  },
  enums: {
    ErrorCode: [
      'The kind of an error. It follows from the status.',
      {
        bad_request: '400 or 405: the call is wrong; change it',
        unauthorized: '401: the key is missing or does not work',
        forbidden: '403: the key may not do this',
        not_found: '404: there is no such thing in this workspace',
        conflict: '409 or 412: the state does not allow it now',
        rate_limited: '429: too many calls; wait',
        internal_error: '500 or 503: our fault; repeat the call later',
      },
    ],
    FieldErrorCode: [
      'The mistake in a field, as one word.',
      {
        required: 'it is missing or empty',
        too_short: 'it has too few characters or entries',
        too_long: 'it has too many characters',
        out_of_range: 'the number or the time is too small or too large',
        invalid_enum: 'it is none of the accepted values',
        invalid_format: 'it does not have the right form',
        invalid_type: 'it has the wrong JSON type',
        unknown_reference: 'it names something that does not exist in this workspace',
        not_allowed: 'it cannot be given here; the message says where',
        too_many: 'the list has too many entries',
      },
    ],
  },
};
