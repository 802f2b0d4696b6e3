import type { Call } from '../../client/call.ts';
import { type CrmClient, createClient, type paths as PublicPaths } from '../../client/index.ts';
import type { paths as PanelPaths } from '../api/schema.ts';
import { noteChange } from './own-changes.ts';
import { end, environment, requestToken, workspaceId } from './session.ts';
import { t } from './texts.ts';

type Paths = PublicPaths & PanelPaths;

export interface Api {
  get: Call<'get', Paths>;
  post: Call<'post', Paths>;
  put: Call<'put', Paths>;
  patch: Call<'patch', Paths>;
  delete: Call<'delete', Paths>;
  list: CrmClient['list'];
}

const publicPaths = /^\/panel\/(sign-ins|sessions)$/;

/** Every call of the page, as the session and in the environment and workspace that are chosen when it is made. */
async function send(request: Request): Promise<Response> {
  const isPublic = request.method === 'POST' && publicPaths.test(new URL(request.url).pathname);
  const token = requestToken();
  request.headers.delete('Authorization');
  if (token !== undefined) request.headers.set('X-Request-Token', token);
  request.headers.set('X-Environment', environment.value);
  if (workspaceId.value !== undefined) request.headers.set('X-Workspace', String(workspaceId.value));
  const response = await fetch(request, { cache: 'no-store' });
  noteChange(response);
  if (response.status === 401 && !isPublic) end(() => t.parts.yourSessionHasEndedSign);
  return response;
}

/** The API and the panel's own operations, typed by their documents: an answer other than a 2xx is an ApiError. */
export const api = createClient({
  baseUrl: location.origin,
  apiKey: '',
  fetch: send,
  maxRetries: 2,
  maxWaitMs: 5000,
}) as unknown as Api;

/** Sends a request of any kind, as the session. */
export const sendAsSession = send;
