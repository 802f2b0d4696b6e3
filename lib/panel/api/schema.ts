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

type PostAt<Given, Status extends number, Body> = {
  parameters: { path: { id: number } };
  requestBody: Json<Given>;
} & Answers<Status, Body>;
type PatchAt<Given, Body> = PostAt<Given, 200, Body>;
type Nothing = Record<string, never>;
type Workspace = Named & { email: string; currency: string; createdAt: string };
interface CreateInvoice {
  contactId: number;
  invoiceNumber: string;
  status?: 'draft' | 'sent';
  currency: string;
  total: number;
  issueDate: string;
  dueDate: string;
}
interface CreateSequence {
  name: string;
  channel: Schemas['Channel'];
  accountId?: number | null;
  steps: { delayMinutes: number; text: string }[];
  status?: Schemas['SequenceStatus'];
}
interface CreateAgent {
  name: string;
  description?: string | null;
  instructions: string;
  model: string;
  channels: Schemas['Channel'][];
  accountIds?: number[];
  language?: string | null;
  handoffEnabled?: boolean;
  status?: Schemas['AgentStatus'];
}
interface CreateRevenueSource {
  name: string;
  mode: 'pull' | 'push';
  feedUrl: string;
  defaultCurrency: string;
  pullIntervalMinutes: number;
  credential?: string | null;
}

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
  '/panel/workspace': Item<{
    get: Get<Workspace>;
    patch: { parameters: object; requestBody: Json<{ name?: string; currency?: string }> } & Answers<200, Workspace>;
  }>;
  '/panel/members': Item<{
    post: Post<{ email: string; name?: string | null; role?: Schemas['Member']['role'] }, 201, Schemas['Member']>;
  }>;
  '/panel/members/{id}': Item<{
    patch: PatchAt<{ name?: string | null; role?: Schemas['Member']['role']; isActive?: boolean }, Schemas['Member']>;
  }>;
  '/panel/deals/{id}/win': Item<{ post: PostAt<Nothing, 200, Schemas['DealWithTasks']> }>;
  '/panel/invoices': Item<{ post: Post<CreateInvoice, 201, Schemas['Invoice']> }>;
  '/panel/invoices/{id}/send': Item<{ post: PostAt<Nothing, 200, Schemas['Invoice']> }>;
  '/panel/invoices/{id}/cancel': Item<{ post: PostAt<Nothing, 200, Schemas['Invoice']> }>;
  '/panel/sequences': Item<{ post: Post<CreateSequence, 201, Schemas['SequenceWithSteps']> }>;
  '/panel/sequences/{id}': Item<{
    patch: PatchAt<Partial<Pick<CreateSequence, 'name' | 'accountId' | 'steps'>>, Schemas['SequenceWithSteps']>;
  }>;
  '/panel/sequences/{id}/activate': Item<{ post: PostAt<Nothing, 200, Schemas['SequenceWithSteps']> }>;
  '/panel/sequences/{id}/enroll': Item<{ post: PostAt<{ contactId: number }, 201, Schemas['Enrollment']> }>;
  '/panel/agents': Item<{ post: Post<CreateAgent, 201, Schemas['AgentWithInstructions']> }>;
  '/panel/agents/{id}': Item<{ patch: PatchAt<Partial<CreateAgent>, Schemas['AgentWithInstructions']> }>;
  '/panel/revenue-sources': Item<{ post: Post<CreateRevenueSource, 201, Schemas['RevenueSource']> }>;
  '/panel/revenue-sources/{id}/connect': Item<{
    post: PostAt<{ credential?: string | null }, 200, Schemas['RevenueSource']>;
  }>;
  '/panel/revenue-sources/{id}/pause': Item<{ post: PostAt<Nothing, 200, Schemas['RevenueSource']> }>;
}
