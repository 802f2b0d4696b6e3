import { type Answer, api } from '#test/client.ts';

export const modernVersion = '2026-07-28';

/** The `_meta` of a modern request. */
export const meta = {
  'io.modelcontextprotocol/protocolVersion': modernVersion,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

type Params = Record<string, unknown>;

/** A tool call's result as the model gets it. */
export interface Called {
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts what it is.
  value: any;
  isError: boolean;
}

/** `POST /mcp` as one key sees it, message by message. */
export function mcp(key: string | undefined) {
  const { post } = api(key);
  let next = 1;

  const send = (body: unknown, headers: Record<string, string> = {}) => post('/mcp', body, headers);

  const legacy = (method: string, params: Params = {}, headers: Record<string, string> = {}): Promise<Answer> => {
    next += 1;
    return send({ jsonrpc: '2.0', id: next, method, params }, { 'mcp-protocol-version': '2025-11-25', ...headers });
  };

  const modern = (method: string, params: Params = {}, headers: Record<string, string> = {}): Promise<Answer> => {
    next += 1;
    const named = typeof params['name'] === 'string' ? { 'mcp-name': params['name'] } : {};
    const mirrors = { 'mcp-protocol-version': modernVersion, 'mcp-method': method, ...named };
    return send({ jsonrpc: '2.0', id: next, method, params: { _meta: meta, ...params } }, { ...mirrors, ...headers });
  };

  const call = async (name: string, args: Params = {}): Promise<Called> => {
    const { status, body } = await modern('tools/call', { name, arguments: args });
    if (status !== 200 || !body.result) throw new Error(`${name} answers ${status} ${JSON.stringify(body)}`);
    const { content, structuredContent, isError = false } = body.result;
    if (content.length !== 1 || content[0].text !== JSON.stringify(structuredContent))
      throw new Error(`${name}: the text is not the structured content`);
    return { value: structuredContent, isError };
  };

  /** The result of a call that must succeed. */
  const value = async (name: string, args: Params = {}) => {
    const called = await call(name, args);
    if (called.isError) throw new Error(`${name} is refused: ${JSON.stringify(called.value)}`);
    return called.value;
  };

  const list = async () => {
    const { body } = await modern('tools/list');
    return body.result.tools as Definition[];
  };

  return { send, legacy, modern, call, value, list };
}

export interface Definition {
  name: string;
  title: string;
  description: string;
  inputSchema: {
    type: string;
    properties: Record<string, { description?: string; enum?: string[] }>;
    required?: string[];
  };
  outputSchema: { type: string };
  annotations: { readOnlyHint?: boolean; destructiveHint?: boolean; idempotentHint?: boolean; openWorldHint?: boolean };
}
