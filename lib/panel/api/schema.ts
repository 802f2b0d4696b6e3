import type { components } from '../../../client/schema.ts';

type Schemas = components['schemas'];
type Json<Body> = { content: { 'application/json': Body } };
type Answers<Status extends number, Body> = {
  responses: { [key in Status]: Json<Body> } & { default: Json<Schemas['ApiError']> };
};
type Get<Body, Query = never> = { parameters: { query?: Query } } & Answers<200, Body>;
type Post<Given, Status extends number, Body> = { parameters: object; requestBody: Json<Given> } & Answers<
  Status,
  Body
>;
type Item<Methods extends object> = Methods & { [M in Exclude<Method, keyof Methods>]?: never } & {
  parameters: object;
};
type Method = 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch' | 'trace';

interface Named {
  id: number;
  name: string;
}

/** Written by hand until the document of the panel's own operations is generated. */
export interface paths {
  '/panel/sign-ins': Item<{ post: Post<{ email: string }, 202, object> }>;
  '/panel/sessions': Item<{
    post: Post<
      { token: string },
      201,
      { session: string; expiresAt: string; member: Schemas['Member']; workspaces: Named[] }
    >;
  }>;
  '/panel/sessions/current': Item<{
    get: Get<{
      expiresAt: string;
      member: Schemas['Member'];
      workspaces: Named[];
      workspace: Named & { email: string; currency: string };
      environment: Schemas['Environment'];
      scopes: Schemas['Scope'][];
    }>;
    delete: { parameters: object } & Answers<200, object>;
  }>;
  '/panel/conversations': Item<{
    get: Get<
      {
        items: {
          contact: Pick<Schemas['Contact'], 'id' | 'name' | 'company' | 'stage'>;
          hasUnreadMessages: boolean;
          channels: Schemas['Channel'][];
          lastMessage: Pick<Schemas['Message'], 'id' | 'channel' | 'direction' | 'body' | 'createdAt' | 'status'>;
        }[];
        nextCursor: number | null;
        hasMore: boolean;
      },
      { limit?: number; after?: number; q?: string; isUnread?: boolean; channel?: Schemas['Channel'] }
    >;
  }>;
}
