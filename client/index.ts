export { ApiError, errorOf } from './api-error.ts';
export { type ClientOptions, type CrmClient, createClient } from './client.ts';
export type { AnyEvent, EventKind, FeedOptions, Position } from './feed.ts';
export type { Item, ListPath } from './list.ts';
export type { components, operations, paths } from './schema.ts';
export { verifyWebhook, WebhookVerificationError } from './webhook.ts';

type Schemas = import('./schema.ts').components['schemas'];
/** An answer's or a body's shape by its name in the document: `Schema<'Contact'>`. */
export type Schema<Name extends keyof Schemas> = Schemas[Name];
