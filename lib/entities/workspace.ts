import * as v from 'valibot';
import { currency, id, line } from '#lib/schema.ts';
import { entity } from '#lib/table/entity.ts';

/** The workspace. */
export const Workspaces = entity({
  name: 'workspace',
  scope: 'workspace',
  schema: v.object({
    id: id(),
    name: v.nullable(v.string()),
    email: v.string(),
    currency: v.string(),
    createdAt: v.string(),
  }),
});

/** Until the panel sets a real one. */
export const placeholderEmail = (workspaceId: number) => `workspace-${workspaceId}@localhost.invalid`;

export type Workspace = v.InferOutput<(typeof Workspaces)['schema']>;

export const CreateWorkspace = v.object({ name: line(200), currency: v.optional(currency(), 'USD') });
