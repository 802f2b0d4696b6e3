import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ClientOptions, type CrmClient, createClient } from '../client/index.ts';
import { type CommonValues, Failure, UsageError } from './verb.ts';

export interface Connection {
  crm: CrmClient;
  key: string;
  /** Without a slash at its end. */
  url: string;
  env: 'live' | 'test';
}

const defaultUrl = 'http://127.0.0.1:3000';
const keyForm = /^csk_(live|test)_[A-Za-z0-9]+$/;

interface KeyFile {
  key: string;
  baseUrl?: string;
}

/** The API as the caller's key sees it. Raises UsageError where there is no key. */
export function connect(values: CommonValues, options: Partial<ClientOptions> = {}): Connection {
  const given = baseUrlOf(values);
  const { key, baseUrl } = keyOf(values, given);
  const url = given ?? baseUrl ?? defaultUrl;
  const env = keyForm.exec(key)?.[1];
  if (env !== 'live' && env !== 'test')
    throw new UsageError('this is not an API key: a key begins with csk_live_ or csk_test_');
  if (values.live && env !== 'live') throw new UsageError('--live needs a live key, and this is a test key');
  return { crm: createClient({ baseUrl: url, apiKey: key, fetch: reaching(url), ...options }), key, url, env };
}

/** Where the API is, if the caller says so. */
function baseUrlOf({ url = process.env['CRM_API_URL'] || undefined }: CommonValues): string | undefined {
  if (url === undefined) return undefined;
  const { protocol, search, hash } = URL.canParse(url) ? new URL(url) : { protocol: '', search: '', hash: '' };
  if (!/^https?:$/.test(protocol) || search !== '' || hash !== '')
    throw new UsageError(`${url} is not the URL of an API: write it like ${defaultUrl}`);
  return url.replace(/\/+$/, '');
}

function keyOf({ 'key-file': path, live }: CommonValues, url: string | undefined): KeyFile {
  if (path !== undefined) return { key: keyIn(read(path), path, live) };
  const key = process.env['CRM_API_KEY']?.trim();
  if (key) return { key };
  return demoKey(url, live);
}

/** Where the API is, for who needs no key. */
export const addressOf = (values: CommonValues): string => baseUrlOf(values) ?? readDemo()?.baseUrl ?? defaultUrl;

const demoPath = () => join(process.env['DATA_DIR'] || '.local', 'demo.json');

/** Reads the connection to the system that `npm start` runs in this folder. */
function readDemo(): { content: string; baseUrl?: string } | undefined {
  const path = demoPath();
  if (!existsSync(path)) return undefined;
  const content = read(path);
  const { baseUrl } = parsed(content, path) as { baseUrl?: string };
  return { content, ...(baseUrl !== undefined && { baseUrl }) };
}

/** For the demo's own address and no other. */
function demoKey(url: string | undefined, live: boolean | undefined): KeyFile {
  const none = 'no API key: set CRM_API_KEY or give --key-file';
  const demo = readDemo();
  if (demo === undefined) throw new UsageError(`${none} (and there is no ${demoPath()}, which npm start makes)`);
  const { content, baseUrl } = demo;
  if (url !== undefined && baseUrl !== undefined && new URL(url).origin !== new URL(baseUrl).origin)
    throw new UsageError(`${none} (${demoPath()} is for ${baseUrl})`);
  return { key: keyIn(content, demoPath(), live), ...(baseUrl !== undefined && { baseUrl }) };
}

function read(path: string): string {
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8').trim();
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** A file holds the key alone, or the two of a demo. */
function keyIn(content: string, path: string, live = false): string {
  if (!content.trimStart().startsWith('{')) return content;
  const { liveKey, testKey } = parsed(content, path) as { liveKey?: unknown; testKey?: unknown };
  const key = live ? liveKey : testKey;
  if (typeof key !== 'string') throw new UsageError(`${path} has no ${live ? 'liveKey' : 'testKey'}`);
  return key;
}

function parsed(content: string, path: string): object {
  try {
    return JSON.parse(content);
  } catch {
    throw new UsageError(`${path} is not JSON`);
  }
}

/** Says in words of a person that nobody answers there. */
export const reaching = (url: string) => async (request: Request) => {
  try {
    return await globalThis.fetch(request);
  } catch (error) {
    request.signal.throwIfAborted();
    throw new Failure(`${url} does not answer: ${reasonOf(error)}`);
  }
};

/** Returns the reason of a failed fetch: `ECONNREFUSED`. */
export function reasonOf(error: unknown): string {
  const { cause, code, message, name } = error as Error & { code?: string };
  if (name === 'TimeoutError') return 'no answer in time';
  return cause === undefined ? (code ?? message) : reasonOf(cause);
}
