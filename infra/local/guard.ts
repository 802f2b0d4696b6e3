import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { isSameSecret } from '#lib/core/same-secret.ts';
import type { Calls } from './calls.ts';

export interface Address {
  host: string;
  port: number;
}

/** Settings of a guard, which admits only programs that use a local name and know the access key of this system. */
export interface Guarded extends Address {
  accessKeyId: string;
  /** Record of the calls of functions. */
  calls?: Calls;
}

type Head = Pick<IncomingHttpHeaders, 'host' | 'origin' | 'authorization'>;

/** Host names of this machine, for programs and containers on it. Ports are not compared: they may be forwarded. */
const ownNames = ['127.0.0.1', 'localhost', 'host.docker.internal'];

/**
 * Returns why a request is refused, or undefined. Any website that a developer looks at can send requests to loopback, with the
 * website's name as `Origin`, or as `Host` after it has let that name point here; it cannot know the access key.
 */
export function refusalOf({ host = '', origin, authorization = '' }: Head, guarded: Guarded): string | undefined {
  if (origin !== undefined) return 'web pages may not call this server';
  const name = /^(.*?)(?::\d+)?$/.exec(host)?.[1] ?? '';
  if (![...ownNames, guarded.host].includes(name.toLowerCase())) return `${name} is not a name of this server`;
  const [, credential = ''] = /^AWS4-HMAC-SHA256 Credential=([^,\s]+)/.exec(authorization) ?? [];
  return keyRefusalOf(credential, guarded);
}

/** Returns why a credential (`<access key>/<day>/<region>/…`) is refused, or undefined. Signatures are not verified here. */
export function keyRefusalOf(credential: string, { accessKeyId }: Guarded): string | undefined {
  return isSameSecret(credential.split('/', 1)[0] as string, accessKeyId)
    ? undefined
    : 'the access key is not that of this system, which stands in DATA_DIR/system.json';
}

/**
 * Why a browser's request to the panel is refused, or undefined. A website that lets its name point here (DNS rebinding) has that
 * name as `Host`, which no address is; any other has its own as `Origin`.
 */
export function foreignnessOf({ host = '', origin }: Head, own: Pick<Address, 'host'>): string | undefined {
  const name = URL.parse(`http://${host}`)?.hostname ?? '';
  const isOwn = [...ownNames, own.host].includes(name) || isIP(name.replaceAll(/^\[|\]$/g, '')) !== 0;
  if (!isOwn) return 'the panel is not called so on this machine';
  return origin === undefined || URL.parse(origin)?.host === URL.parse(`http://${host}`)?.host
    ? undefined
    : 'other websites may not call the panel';
}
