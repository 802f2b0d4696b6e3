import * as v from 'valibot';
import { filesOrigin } from '#lib/files/origin.ts';
import { assetEndpoint } from '#lib/http/asset-endpoint.ts';
import { assetsIn } from '#lib/http/assets.ts';

/** The pages, which lie beside the function, and the reference's texts. */
const panel = assetsIn(new URL('./pages/panel/', import.meta.url), filesOrigin);
const docs = assetsIn(new URL('./pages/docs/', import.meta.url));

export const handler = assetEndpoint(
  {
    method: 'GET',
    path: '/panel/{path+}',
    alsoAt: ['/panel', '/docs', '/docs/{path+}', '/llms.txt'],
    summary: 'The panel and the reference',
    scope: 'public',
    isUndocumented: true,
    needs: ['link-files'],
    status: 200,
    response: v.never(),
    errors: ['not_found'],
  },
  ({ rawPath, headers }) => {
    if (rawPath === '/panel' || rawPath === '/docs')
      return { status: 308, headers: { Location: `${rawPath}/` }, body: '' };
    if (rawPath === '/llms.txt') return docs('llms.txt', headers);
    return rawPath.startsWith('/docs/')
      ? docs(rawPath.slice('/docs/'.length), headers)
      : panel(rawPath.slice('/panel/'.length), headers);
  },
);
