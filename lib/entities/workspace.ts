import * as v from 'valibot';
import { currency, id, line, time } from '#lib/core/schema.ts';
import { entity } from '#lib/table/entity.ts';

const name = () => line(200);
const named = {
  id: id(),
  name: v.nullable(v.string()),
  email: v.string(),
  currency: v.string(),
};

/** A workspace as its members see it. */
export const Workspace = v.pipe(v.object({ ...named, createdAt: time() }), v.title('Workspace'));

/** The workspace. */
export const Workspaces = entity({
  name: 'workspace',
  scope: 'workspace',
  schema: v.object({ ...named, createdAt: v.string() }),
});

/** Until the panel sets a real one. */
export const placeholderEmail = (workspaceId: number) => `workspace-${workspaceId}@localhost.invalid`;

export type Workspace = v.InferOutput<(typeof Workspaces)['schema']>;

export const PatchWorkspace = v.pipe(
  v.object({ name: v.optional(name()), currency: v.optional(currency()) }),
  v.title('PatchWorkspace'),
);

export const CreateWorkspace = v.object({ name: name(), currency: v.optional(currency(), 'USD') });
