import type { Plugin } from 'esbuild';

/** Small replacements for modules of which a bundle uses little. */
const stubs: Record<string, string> = {
  // A Lambda has its credentials in the environment; the chain that also asks profiles, SSO, web identities and instance
  // metadata is 132 KB of every bundle with a client of the SDK, and SSO's bearer tokens as much again beside Bedrock's client.
  '@aws-sdk/credential-provider-node': `export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';`,
  '@aws-sdk/token-providers': `
    export const nodeProvider = () => async () => { throw new Error('requests are signed, not sent with bearer tokens'); };
    export const fromEnvSigningName = nodeProvider;`,
  // The index also loads fetch, WebSockets, proxies, caches and mocks: 261 KB.
  undici: `
    import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
    import request from 'undici/lib/api/api-request.js';
    Object.assign(Dispatcher.prototype, { request });
    export { default as Agent } from 'undici/lib/dispatcher/agent.js';
    export { default as Pool } from 'undici/lib/dispatcher/pool.js';
    export { default as buildConnector } from 'undici/lib/core/connect.js';
    export { default as errors } from 'undici/lib/core/errors.js';`,
};

/** Puts stand-ins in the place of packages of which far more is bundled than used; test/infra/stubs.test.ts compares both. */
export const standIns: Plugin = {
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

const nothing = JSON.stringify({ version: 3, sources: ['.'], sourcesContent: [''], mappings: 'AAAA' });
/** Ends a dependency's text: its source map says nothing. */
export const unmapped = `\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(nothing).toString('base64')}`;
