import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';

/** What a bundle holds in place of a module that brings more than is used of it. */
const stubs: Record<string, string> = {
  // A Lambda has its credentials in the environment; the chain that also asks profiles, SSO, web identities and instance
  // metadata is 132 KB of every bundle with a client of the SDK, and SSO's bearer tokens as much again beside Bedrock's client.
  '@aws-sdk/credential-provider-node': `export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';`,
  '@aws-sdk/token-providers': `
    export const nodeProvider = () => async () => { throw new Error('requests are signed, not sent with bearer tokens'); };
    export const fromEnvSigningName = nodeProvider;`,
  // For where Node has no SHA-256 of its own: 3 KB.
  './Sha256Js': `export class Sha256Js { constructor() { throw new Error('Node has a hash of its own'); } }`,
  // For the retry mode `adaptive`, which nobody has chosen: 4 KB.
  '../util-retry/AdaptiveRetryStrategy': `
    export class AdaptiveRetryStrategy { constructor() { throw new Error('the retry mode is standard'); } }`,
  // For functions that run several invocations at a time, as none here does: 2 KB.
  '@aws/lambda-invoke-store': `export const InvokeStore = { getInstanceAsync: async () => undefined };`,
  // For logs that are held back until something fails, as none here is: 1 KB.
  './logBuffer.js': `export class CircularMap {}`,
  // For what is one for each of several invocations at a time, as above, and for the logs that are held back: 1 KB.
  '@aws-lambda-powertools/commons/utils/invocation-scoped': `
    export class InvocationScoped {
      #made;
      #value;
      constructor(_, { fresh, initial }) { this.#made = fresh ?? (() => initial); }
      get() { return (this.#value ??= [this.#made()])[0]; }
      set(value) { this.#value = [value]; }
      reset() { this.#value = undefined; }
    }`,
  './LogInvocationStore.js': `
    export class LogInvocationStore {
      #level;
      constructor(level) { this.#level = level; }
      getLogLevel() { return this.#level; }
      setLogLevel(level) { this.#level = level; }
      getBaseLogLevel() { return this.#level; }
      setBaseLogLevel(level) { this.#level = level; }
    }`,
  // For a mark in the SDK's user agent, for who asks which start was a cold one, and for logs of what refers to itself, of lists that are merged item by item and of objects
  // from outside, none of which is added to ours: 1 KB.
  '@aws-lambda-powertools/commons': `
    export const isNullOrUndefined = (value) => value == null;
    export class Utility {
      defaultServiceName = 'service_undefined';
      isValidServiceName(name) { return typeof name === 'string' && name.trim().length > 0; }
    }
    const isObject = (value) => value?.constructor === Object;
    export const deepMerge = (target, ...sources) => {
      for (const [key, value] of sources.flatMap((source) => Object.entries(source ?? {})))
        if (key === '__proto__') continue;
        else if (isObject(value)) target[key] = deepMerge(isObject(target[key]) ? target[key] : {}, value);
        else if (value !== undefined) target[key] = value;
      return target;
    };`,
  // For times of other zones than a Lambda's, and for stacks that people read: 1 KB.
  './LogFormatter.js': `
    export class LogFormatter {
      formatError({ name, message, stack, cause, ...others }) {
        const location = this.getCodeLocation(stack);
        return { name, location, message, stack, cause: cause instanceof Error ? this.formatError(cause) : cause, ...others };
      }
      formatTimestamp(now) { return now.toISOString(); }
      getCodeLocation(stack = '') {
        const [, file, line] = /\\(([^()\\n]*):(\\d+):\\d+\\)$/m.exec(stack) ?? [];
        return file ? file + ':' + line : '';
      }
    }`,
  // Of signing keys, which change once a day: 1 KB.
  './lru': `module.exports = () => new Map();`,
  // The index also loads fetch, WebSockets, proxies, caches and mocks: 261 KB.
  undici: `
    import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
    import request from 'undici/lib/api/api-request.js';
    Object.assign(Dispatcher.prototype, { request });
    export { default as Agent } from 'undici/lib/dispatcher/agent.js';
    export { default as Client } from 'undici/lib/dispatcher/client.js';
    export { default as Pool } from 'undici/lib/dispatcher/pool.js';
    export { default as buildConnector } from 'undici/lib/core/connect.js';
    export { default as errors } from 'undici/lib/core/errors.js';`,
  // The HTML sanitiser has one use for each of these, and requires them whole: 73 KB more. Source maps of style attributes are
  // switched off, as postcss has it for browsers, and dates are none of its business.
  htmlparser2: `export { Parser } from 'htmlparser2';`,
  postcss: `export { default as parse } from 'postcss/lib/parse';`,
  'source-map-js': '',
  dayjs: `export default () => { throw new Error('no dates are sanitised'); };`,
};

const withStubs: Plugin = {
  name: 'stand-ins',
  setup({ onResolve, onLoad }) {
    const namespace = 'stand-in';
    const filter = new RegExp(`^(${Object.keys(stubs).join('|')})$`);
    onResolve({ filter }, ({ path, resolveDir, namespace: importer }) =>
      importer === namespace ? undefined : { path, namespace, pluginData: resolveDir },
    );
    onLoad({ filter: /.*/, namespace }, ({ path, pluginData }) => ({
      resolveDir: pluginData,
      contents: stubs[path] as string,
    }));
  },
};

// Imports of modules that nothing reaches.
const neverLoaded: Plugin = {
  name: 'never-loaded',
  setup({ onResolve }) {
    // The SDK's for event streams and in browsers; they would be 49 KB beside every function.
    onResolve({ filter: /^(@smithy\/core\/event-streams|bowser)$/ }, ({ path, kind }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    );
    // undici's for bodies that are forms (43 KB) and for processors without SIMD (72 KB).
    onResolve({ filter: /^\.\.\/(web\/|llhttp\/llhttp-wasm)/ }, ({ path, importer }) =>
      importer.includes('/node_modules/undici/') ? { path, external: true } : undefined,
    );
  },
};

// What a failure is the SDK tells where it also repeats calls, which lib/ does not have it do: 8 KB in every function without another client.
const classifiers: Plugin = {
  name: 'classifiers',
  setup({ onResolve }) {
    const folder = '@smithy/core/dist-es/submodules/retry/service-error-classification';
    const path = join(import.meta.dirname, '../../node_modules', folder, 'service-error-classification.js');
    onResolve({ filter: /^@smithy\/core\/retry$/ }, ({ importer }) =>
      importer.includes('/node_modules/') ? undefined : { path, sideEffects: false },
    );
  },
};

// Of its package.json, 2 KB, a client says the version.
const versionsAlone: Plugin = {
  name: 'versions-alone',
  setup({ onLoad }) {
    onLoad({ filter: /\/node_modules\/@aws-sdk\/[^/]+\/package\.json$/ }, async ({ path }) => {
      const { version } = JSON.parse(await readFile(path, 'utf8'));
      return { contents: JSON.stringify({ version }), loader: 'json' };
    });
  },
};

const nothing = JSON.stringify({ version: 3, sources: ['.'], sourcesContent: [''], mappings: 'AAAA' });
/** Ends a dependency's text: its source map says nothing. */
export const unmapped = `\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(nothing).toString('base64')}`;

/** What keeps of the dependencies only what is used of them; test/infra/stubs.test.ts holds it against the whole ones. */
export const dependencyStubs: readonly Plugin[] = [withStubs, neverLoaded, classifiers, versionsAlone];
