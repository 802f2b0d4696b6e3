import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import { Agent, buildConnector, type Dispatcher, errors } from 'undici';
import { deadline } from '#lib/core/clock.ts';
import { addressTimeoutMs, connectTimeoutMs } from '#lib/core/timeouts.ts';
import { type Lookup, openResolver, ResolverDown, silentNameServer, Unresolved } from './resolver.ts';
import { isAllowedAddress, type Reach } from './ssrf-guard.ts';
import { literalOf, reachOfWebhooks } from './ssrf-ranges.ts';

export interface OutboundSettings {
  /** The operator's setting unless given. */
  reach?: Reach;
  lookup?: Lookup;
  maxBytes?: number;
}

interface OutboundRequest {
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: Buffer;
  /** How much of the answer's body is wanted; all unless given. */
  keptBytes?: number;
  /** For everything: name, connection, request and the whole answer. */
  timeoutMs: number;
}

/** `resolver`: ours, of which the host's name is innocent; `silent_dns`: its name servers said nothing in time. */
export type OutboundFailure =
  | 'forbidden_address'
  | 'resolver'
  | 'dns'
  | 'silent_dns'
  | 'refused'
  | 'tls'
  | 'timeout'
  | 'too_large'
  | 'malformed'
  | 'reset';

/** Answer of an outbound request, even if it broke off. */
interface OutboundAnswer {
  status: number | null;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
  failure: OutboundFailure | null;
  /** The failure in words that a customer may read. */
  error: string | null;
}

/** A way out to URLs that customers give. Follows no redirects. */
export interface Outbound {
  send(url: string, request: OutboundRequest): Promise<OutboundAnswer>;
  /** Drops its connections and lookups, and whatever is still under way. */
  close(): Promise<void>;
}

const defaultMaxBytes = 1024 * 1024;
/** Headers that an answer may have. */
export const maxHeaderBytes = 16 * 1024;

class ForbiddenAddress extends Error {}

/** Opens connections of its own, to be closed after the invocation: a frozen function keeps dead sockets. */
export function openOutbound(settings: OutboundSettings = {}): Outbound {
  const { reach = reachOfWebhooks(), maxBytes = defaultMaxBytes } = settings;
  const resolver = openResolver();
  const connect = connector(reach, settings.lookup ?? resolver.lookup);
  const dispatcher = new Agent({ connect, maxHeaderSize: maxHeaderBytes, maxResponseSize: maxBytes });
  return {
    send: (url, request) => exchange(dispatcher, url, request, maxBytes),
    close() {
      resolver.close();
      return dispatcher.destroy();
    },
  };
}

/**
 * Checks three times: a literal address, which no lookup sees; every answer of the name server; and the peer of the socket,
 * which is the last word.
 */
function connector(reach: Reach, lookup: Lookup): buildConnector.connector {
  const isAllowed = (address: string) => isAllowedAddress(address, reach);
  const open = buildConnector({
    allowH2: false,
    timeout: connectTimeoutMs,
    autoSelectFamilyAttemptTimeout: addressTimeoutMs,
    lookup: guarded(lookup, isAllowed),
  });
  return (options, callback) => {
    const literal = literalOf(options.hostname);
    if (isIP(literal) && !isAllowed(literal)) {
      callback(new ForbiddenAddress(), null);
      return;
    }
    open(options, (error, socket) => {
      if (error) return callback(error, null);
      const { remoteAddress } = socket;
      if (remoteAddress !== undefined && isAllowed(remoteAddress)) return callback(null, socket);
      socket.destroy();
      callback(new ForbiddenAddress(), null);
    });
  };
}

/** One forbidden answer forbids the name: a list that mixes addresses is an attempt. */
function guarded(lookup: Lookup, isAllowed: (address: string) => boolean): LookupFunction {
  const checked = async (hostname: string) => {
    const addresses = await lookup(hostname);
    const [first] = addresses;
    if (!first || !addresses.every(({ address }) => isAllowed(address))) throw new ForbiddenAddress();
    const reached = withRoute(addresses);
    return { first: reached[0] ?? first, addresses: reached };
  };
  return (hostname, { all }, callback) => {
    checked(hostname).then(
      ({ first, addresses }) => (all ? callback(null, addresses) : callback(null, first.address, first.family)),
      (error) => callback(error, '', 0),
    );
  };
}

/** As getaddrinfo leaves out (RFC 3493, AI_ADDRCONFIG) what a machine without an IPv6 address reaches none of: so is a Lambda outside of a VPC. */
function withRoute(addresses: readonly LookupAddress[]): LookupAddress[] {
  const isRouted = ({ address, family }: LookupAddress) => family !== 6 || address === '::1' || hasIPv6();
  const routed = addresses.filter(isRouted);
  return routed.length > 0 ? routed : [...addresses];
}

const hasIPv6 = () =>
  Object.values(networkInterfaces())
    .flat()
    .some((one) => one && one.family === 'IPv6' && !one.internal && !one.address.startsWith('fe80:'));

/** By `dispatch`, without the streams and signals of `request`: half of a delivery's CPU was theirs. */
function exchange(
  dispatcher: Agent,
  url: string,
  { method, headers, body, timeoutMs, keptBytes }: OutboundRequest,
  maxBytes: number,
): Promise<OutboundAnswer> {
  const answer: OutboundAnswer = { status: null, headers: {}, body: Buffer.alloc(0), failure: null, error: null };
  const kept = new GrowingBuffer(keptBytes ?? maxBytes);
  let controller: Dispatcher.DispatchController | undefined;
  let isOver = false;
  return new Promise((resolve) => {
    const end = (failure?: Pick<OutboundAnswer, 'failure' | 'error'>) => {
      if (isOver) return;
      isOver = true;
      cancelDeadline();
      if (failure) controller?.abort(new Error(failure.failure ?? ''));
      resolve({ ...answer, ...failure, body: kept.bytes });
    };
    const cancelDeadline = deadline(timeoutMs, () => end(late(timeoutMs)));
    const { origin, pathname, search } = new URL(url);
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        controller = started;
        // The deadline passed while it connected or waited for a connection.
        if (isOver) started.abort(new Error('late'));
      },
      onResponseStart(_, status, received) {
        if (status >= 200) Object.assign(answer, { status, headers: received });
      },
      onResponseData: (_, chunk) => kept.add(chunk),
      onResponseEnd: () => end(),
      onResponseError: (_, error) => end(failureOf(error, { timeoutMs, maxBytes })),
    };
    try {
      dispatcher.dispatch({ origin, path: `${pathname}${search}`, method, headers, body: body ?? null }, handler);
    } catch (error) {
      end(failureOf(error, { timeoutMs, maxBytes }));
    }
  });
}

/** The beginning of a body in memory of its own: its chunks may be of a byte each, and hold what they were read with. */
class GrowingBuffer {
  readonly #max: number;
  #buffer = Buffer.alloc(0);
  #length = 0;

  constructor(max: number) {
    this.#max = max;
  }

  add(chunk: Buffer): void {
    const length = Math.min(this.#length + chunk.length, this.#max);
    if (length > this.#buffer.length) {
      const larger = Buffer.alloc(Math.min(Math.max(2 * this.#buffer.length, length), this.#max));
      this.#buffer.copy(larger);
      this.#buffer = larger;
    }
    chunk.copy(this.#buffer, this.#length, 0, length - this.#length);
    this.#length = length;
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }
}

interface Limits {
  timeoutMs: number;
  maxBytes: number;
}

const late = (timeoutMs: number) =>
  ({ failure: 'timeout', error: `no complete answer within ${timeoutMs} ms` }) as const;

/** Also where the parser takes for granted what servers must do: a status. An answer that ends too soon is no fault in it. */
const isMalformed = (error: unknown, code: string) =>
  code === 'ERR_ASSERTION' || (error instanceof errors.HTTPParserError && !/\bEOF\b/.test(error.message));

const unreachable = /^E(CONNREFUSED|HOSTUNREACH|NETUNREACH|HOSTDOWN|ADDRNOTAVAIL)$/;
/** Codes of Node and of OpenSSL's checks of certificates. */
const insecure = /^(ERR_(SSL|TLS)_|EPROTO|UNABLE_TO_|HOSTNAME_|PATH_LENGTH_|INVALID_(CA|PURPOSE))|CERT|CRL/;

function failureOf(error: unknown, { timeoutMs, maxBytes }: Limits): Pick<OutboundAnswer, 'failure' | 'error'> {
  const { code = '', cause } = error as { code?: string; cause?: unknown };
  const isOf = (kind: typeof ForbiddenAddress | typeof ResolverDown | typeof Unresolved) =>
    error instanceof kind || cause instanceof kind;
  if (isOf(ForbiddenAddress)) return { failure: 'forbidden_address', error: 'the address of the host is not allowed' };
  if (isOf(ResolverDown)) return { failure: 'resolver', error: 'the host could not be looked up on our side' };
  if (code === silentNameServer)
    return { failure: 'silent_dns', error: 'the name servers of the host did not answer in time' };
  if (error instanceof errors.ResponseExceededMaxSizeError)
    return { failure: 'too_large', error: `the answer is larger than ${maxBytes} bytes` };
  if (error instanceof errors.HeadersOverflowError)
    return { failure: 'too_large', error: `the headers of the answer are larger than ${maxHeaderBytes} bytes` };
  if (/CONNECT_TIMEOUT|ETIMEDOUT/.test(code)) return { failure: 'timeout', error: 'no connection was made in time' };
  if (/TIMEOUT/.test(code)) return late(timeoutMs);
  if (isMalformed(error, code)) return { failure: 'malformed', error: 'the answer is not valid HTTP' };
  const failure = isOf(Unresolved) ? 'dns' : unreachable.test(code) ? 'refused' : insecure.test(code) ? 'tls' : 'reset';
  return { failure, error: failure === 'tls' ? (certificates[code] ?? words.tls) : words[failure] };
}

const words = {
  dns: 'the name of the host is not known',
  refused: 'the host cannot be reached, or refuses the connection',
  tls: 'the host offers no TLS connection that can be trusted',
  reset: 'the connection was closed before the answer was complete',
};

const selfSigned = 'the certificate of the host is signed by itself';
const unsigned = 'the certificate of the host, or one that it depends on, is of an unknown issuer';
const certificates: Readonly<Record<string, string | undefined>> = {
  CERT_HAS_EXPIRED: 'the certificate of the host has expired',
  CERT_NOT_YET_VALID: 'the certificate of the host is not valid yet',
  CERT_REVOKED: 'the certificate of the host has been revoked',
  DEPTH_ZERO_SELF_SIGNED_CERT: selfSigned,
  SELF_SIGNED_CERT_IN_CHAIN: selfSigned,
  UNABLE_TO_GET_ISSUER_CERT: unsigned,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unsigned,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unsigned,
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate of the host is of another name',
};
