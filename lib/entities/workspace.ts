import * as v from 'valibot';
import { checked, currency, id, line, reading, time, timeZone } from '#lib/core/schema.ts';
import { entity } from '#lib/table/entity.ts';

const name = () => line(200);
const named = {
  id: id(),
  name: v.nullable(v.string()),
  email: v.string(),
  currency: v.string(),
};

/** Settings of a workspace (revision 1.4). */
const settings = {
  timeZone: v.optional(v.string(), 'UTC'),
  /** By which phone numbers without `+` are read. */
  country: v.optional(v.nullable(v.string()), null),
  /** Contacts are linked to the company that has the domain of their e-mail address. */
  linkByDomain: v.optional(v.boolean(), true),
};

/** A workspace as its members see it. */
export const Workspace = v.pipe(v.object({ ...named, ...settings, createdAt: time() }), v.title('Workspace'));

/** The workspace. */
export const Workspaces = entity({
  name: 'workspace',
  scope: 'workspace',
  schema: v.object({ ...named, ...settings, createdAt: v.string() }),
});

/** Until the panel sets a real one. */
export const placeholderEmail = (workspaceId: number) => `workspace-${workspaceId}@localhost.invalid`;

export type Workspace = v.InferOutput<(typeof Workspaces)['schema']>;

/** Regions, parts of countries, and codes for private use, which Intl names like countries. Kosovo (XK) counts as one. */
const noCountry = /^(?:AC|C[PQ]|DG|E[AUZ]|IC|QO|TA|UN|X[AB]|ZZ)$/;

/** Whether ISO 3166 has a country of this code today: `GB`, but neither `UK` nor `YU`. */
const isCountry = (code: string) =>
  /^[A-Z]{2}$/.test(code) &&
  !noCountry.test(code) &&
  new Intl.Locale(`und-${code}`).region === code &&
  new Intl.DisplayNames('en', { type: 'region', fallback: 'none' }).of(code) !== undefined;

/** A country as ISO 3166 writes it, or null. */
const country = () =>
  reading(
    v.nullable(
      v.pipe(
        v.string(),
        checked('regex', isCountry, 'must be two letters of a country of ISO 3166, such as DE'),
        v.examples(['DE']),
      ),
    ),
    (code) => (typeof code === 'string' ? code.trim().toUpperCase() || null : code),
  );

export const PatchWorkspace = v.pipe(
  v.object({
    name: v.optional(name()),
    currency: v.optional(currency()),
    timeZone: v.optional(timeZone()),
    country: v.optional(country()),
    linkByDomain: v.optional(v.boolean()),
  }),
  v.title('PatchWorkspace'),
);

export const CreateWorkspace = v.object({ name: name(), currency: v.optional(currency(), 'USD') });
