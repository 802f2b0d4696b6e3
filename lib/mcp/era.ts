import { firstCharacters } from '#lib/core/text.ts';
import { isObject, type Message, Refusal } from './message.ts';

/** The handshake era, newest first: the version was agreed by `initialize`. */
export const legacyVersions = ['2025-11-25', '2025-06-18', '2025-03-26'];
/** The stateless era: every request carries its version. */
const modernVersion = '2026-07-28';
export const supportedVersions = [modernVersion, ...legacyVersions];

const metaKey = (name: string) => `io.modelcontextprotocol/${name}`;
export const serverInfoKey = metaKey('serverInfo');

export type Header = (name: string) => string | undefined;

/**
 * The era of a message: by the version in its `_meta`, then by the version header, never by `Mcp-Method`, which clients of both
 * eras send. Raises a refusal for an unknown version and for headers that contradict the body.
 */
export function eraOf(message: Message, header: Header): 'modern' | 'legacy' {
  const meta = message.params['_meta'];
  const claimed = isObject(meta) ? meta[metaKey('protocolVersion')] : undefined;
  const named = header('mcp-protocol-version');
  if (claimed === undefined && named !== modernVersion) {
    if (named !== undefined && !legacyVersions.includes(named)) throw unsupported(named);
    return 'legacy';
  }
  if (claimed === undefined && message.id === undefined) return 'modern';
  if (claimed === undefined && message.method === 'initialize')
    throw mismatch('initialize belongs to versions before the one that the header MCP-Protocol-Version names');
  if (typeof claimed !== 'string') throw missing('protocolVersion');
  if (named !== undefined && named !== claimed) throw mismatch('MCP-Protocol-Version differs from _meta');
  if (legacyVersions.includes(claimed)) return 'legacy';
  if (!isObject((meta as Record<string, unknown>)[metaKey('clientCapabilities')])) throw missing('clientCapabilities');
  if (claimed !== modernVersion) throw unsupported(claimed);
  return 'modern';
}

/** The headers that mirror the body of a modern message. Raises a refusal when one is missing or differs. */
export function checkMirrors({ id, method, params }: Message, header: Header): void {
  const named = header('mcp-method');
  if (named !== undefined && named !== method) throw mismatch('Mcp-Method differs from the method in the body');
  if (id === undefined) return;
  if (header('mcp-protocol-version') === undefined) throw mismatch('the header MCP-Protocol-Version is missing');
  if (named === undefined) throw mismatch('the header Mcp-Method is missing');
  if (method !== 'tools/call' || typeof params['name'] !== 'string') return;
  const tool = header('mcp-name');
  if (tool === undefined) throw mismatch('the header Mcp-Name is missing');
  if (decoded(tool.trim()) !== params['name']) throw mismatch('Mcp-Name differs from params.name');
}

/** A header value that is no plain ASCII comes as `=?base64?…?=`. */
function decoded(value: string): string {
  const [, packed] = /^=\?base64\?(.*)\?=$/.exec(value) ?? [];
  if (packed === undefined) return value;
  const text = Buffer.from(packed, 'base64');
  if (text.toString('base64') !== packed) throw mismatch('Mcp-Name is not valid Base64');
  return text.toString();
}

const mismatch = (message: string) => new Refusal('headerMismatch', message);
const missing = (name: string) => new Refusal('invalidParams', `params._meta must have ${metaKey(name)}`);
/** Far more than a date, which every version's name is. */
const maxVersionCharacters = 100;
const unsupported = (requested: string) =>
  new Refusal('unsupportedVersion', 'unsupported protocol version', {
    data: { supported: supportedVersions, requested: firstCharacters(requested, maxVersionCharacters) },
  });
