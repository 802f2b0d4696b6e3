import { domainToASCII } from 'node:url';
import * as v from 'valibot';
import { includeQuery, onRequest } from '#lib/core/include.ts';
import { fixedInPatch, metadataFilter, metadataIndex, metadataInput, StoredMetadata } from '#lib/core/metadata.ts';
import {
  checked,
  commonFilters,
  count,
  id,
  idInput,
  line,
  listInput,
  nullableLine,
  nullableText,
  paging,
  queryChoices,
  queryIdOrNone,
  queryText,
  reading,
  storedChoice,
  text,
  time,
} from '#lib/core/schema.ts';
import { firstCharacters, foldCase } from '#lib/core/text.ts';
import { entity, type Item } from '#lib/table/entity.ts';
import { authorship, maxNoteCharacters, told } from './activity.ts';
import { archivable, archivedFilter, archiveIndex, shownArchive } from './archive.ts';
import { phoneInput } from './contact.ts';
import { customValues, fieldsInput, linkReferences, shownFields, valueIndexes } from './field.ts';

export const maxDomains = 20;
const maxHostCharacters = 253;

/** Returns the part of an address that says the host, in lower case, in ASCII, and without `www.`. */
export function hostIn(address: string): string {
  const host = address
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/[/?#].*$/s, '')
    .replace(/\.$/, '')
    .replace(/^www\./, '');
  // It is empty for what is no host name.
  const ascii = domainToASCII(host);
  return ascii !== '' && ascii.length <= maxHostCharacters ? ascii : host;
}

/** A host name; lib/contacts/company-domains.ts knows which are public. */
const domain = () =>
  reading(
    v.pipe(
      v.string(),
      v.regex(/^[^\s@:.]+(?:\.[^\s@:.]+)+$/, 'must be a host name such as example.com'),
      checked<string>(
        'max_code_points',
        (host) => host.length <= maxHostCharacters,
        'must have at most 253 characters',
      ),
      v.examples(['example.com']),
    ),
    (value) => (typeof value === 'string' ? hostIn(value) : value),
  );
const website = () => nullableLine(2048);

const given = {
  domains: v.optional(listInput(domain(), maxDomains, 'domains')),
  website: v.optional(website()),
  phone: v.optional(phoneInput()),
  address: v.optional(nullableText(500)),
  notes: v.optional(nullableText(10_000)),
  assignedToUserId: v.optional(v.nullable(idInput())),
  fields: v.optional(fieldsInput()),
};

const shown = {
  id: id(),
  name: v.string(),
  domains: v.array(v.string()),
  website: v.nullable(v.string()),
  phone: v.nullable(v.string()),
  address: v.nullable(v.string()),
  notes: v.nullable(v.string()),
  assignedToUserId: v.nullable(id()),
  contactCount: count(),
  openDealCount: count(),
  createdAt: time(),
  updatedAt: v.nullable(time()),
};

/** Members that `include` adds. */
const included = { fields: shownFields(), archive: shownArchive() };
export const CompanyInclude = v.object(includeQuery(included));

/** A company (revision 1.4, section 29). */
export const Company = v.pipe(v.object({ ...shown, ...onRequest(included) }), v.title('Company'));

export const CreateCompany = v.pipe(
  v.object({ name: line(200), ...given, metadata: v.optional(metadataInput()) }),
  v.title('CreateCompany'),
);
export type CreateCompany = v.InferOutput<typeof CreateCompany>;

export const PatchCompany = v.pipe(v.object({ name: v.optional(line(200)), ...given }), v.title('PatchCompany'));
export type PatchCompany = v.InferOutput<typeof PatchCompany>;
export const readOnlyInPatch = fixedInPatch('companies');

const matchForm = /^(domain|name|fields\.[a-z][a-z0-9_]{0,39})$/;
export const UpsertCompany = v.pipe(
  v.object({
    matchOn: v.pipe(
      v.string(),
      v.trim(),
      checked<string>('picklist', (key) => matchForm.test(key), 'must be one of domain, name, fields.<slug>'),
      v.metadata({ pattern: matchForm.source }),
      v.examples(['domain', 'fields.customer_number']),
    ),
    domain: v.optional(domain()),
    ...CreateCompany.entries,
    name: v.optional(line(200)),
  }),
  v.title('UpsertCompany'),
);
export type UpsertCompany = v.InferOutput<typeof UpsertCompany>;

export const MergeCompanies = v.pipe(v.object({ sourceCompanyId: idInput() }), v.title('MergeCompanies'));

export const CompanyQuery = v.object({
  ...paging,
  q: v.optional(queryText()),
  domain: v.optional(queryText(maxHostCharacters)),
  assignedToUserId: v.optional(queryIdOrNone()),
  ...archivedFilter,
  ...CompanyInclude.entries,
  ...commonFilters,
  ...metadataFilter,
});
export const CompanyDuplicateQuery = v.object({ ...paging, ...CompanyInclude.entries });

const legalForms = new Set(
  (
    'inc incorporated corp corporation co company ltd limited llc llp lp plc pty gmbh mbh ag kg kgaa ug ohg gbr ev eg se sa sas sarl ' +
    'srl spa snc bv nv cv vof oy oyj ab as asa aps a/s sp zoo sro kft zrt nyrt doo dd ood ead ooo oao zao pao ltda eireli cia ' +
    'kk yk pte bhd sdn tbk pt jsc pjsc'
  ).split(' '),
);

/** Keys of the table are short. */
const maxKeyCharacters = 200;

/** Returns a name as companies are compared: without case, accents, punctuation, and legal form. */
export function comparableName(name: string): string {
  const words = foldCase(name)
    .normalize('NFKD')
    .replaceAll(/[\p{M}.'’]/gu, '')
    .split(/[^\p{L}\p{N}/]+/u)
    .filter((word) => word !== '');
  const last = words.findLastIndex((word) => !legalForms.has(word));
  return firstCharacters((last === -1 ? words : words.slice(0, last + 1)).join(' '), maxKeyCharacters);
}

/** Returns a name in the form that upserts compare, whatever its case. */
export const sameCompanyName = (name: string): string => name.normalize('NFC').toLowerCase();

/** Returns the beginning of a name in that form, by which the table finds it. */
export const companyNameKey = (name: string): string => firstCharacters(sameCompanyName(name), maxKeyCharacters);

/** Counts of a company, which change with contacts and deals. */
export const reportedOfCompanies = ['contactCount', 'openDealCount'];

/** A company. `contactCount` and `openDealCount` are kept by the transactions that change contacts and deals. */
export const Companies = entity({
  name: 'company',
  schema: v.object({
    ...shown,
    metadata: StoredMetadata,
    /** Domains of providers of free mail among its own: they link nobody. */
    freeDomains: v.array(v.string()),
    /** The registrable domains of its domains. */
    roots: v.array(v.string()),
    /** A contact shows its name, or once did. */
    isNameShown: v.optional(v.boolean()),
    ...customValues,
    ...archivable,
  }),
  references: linkReferences,
  isMergeable: true,
  isArchivable: true,
  countedBeside: reportedOfCompanies,
  indexes: {
    domain: { of: ({ domains }) => domains, isUnique: true },
    root: ({ roots }) => roots,
    name: ({ name }) => companyNameKey(name),
    like: ({ name }) => comparableName(name) || null,
    assignee: { of: ({ assignedToUserId }) => assignedToUserId ?? 'none' },
    ...valueIndexes,
    ...archiveIndex,
    metadata: metadataIndex,
  },
});
export type StoredCompany = Item<typeof Companies>;

/** Into which company another one was merged. */
export const MergedCompanies = entity({
  name: 'merged-company',
  schema: v.object({ id: id(), into: id() }),
});

export const companyActivityTypes = [
  'Note',
  'Created',
  'FieldUpdated',
  'Assigned',
  'Unassigned',
  'ContactAdded',
  'ContactRemoved',
] as const;

/** An entry of the history of a company. */
export const CompanyActivity = v.pipe(
  v.object({
    id: id(),
    companyId: id(),
    type: storedChoice(companyActivityTypes),
    ...told,
    contactId: v.nullable(id()),
    ...authorship,
  }),
  v.title('CompanyActivity'),
);
export const CompanyActivityQuery = v.object({ ...paging, type: v.optional(queryChoices(companyActivityTypes)) });
export const CreateCompanyNote = v.pipe(v.object({ text: text(maxNoteCharacters) }), v.title('CreateCompanyNote'));

/** A line of the history of a company. */
export const CompanyActivities = entity({
  name: 'company-activity',
  schema: CompanyActivity,
  references: [
    { to: 'company', field: 'companyId', isOwned: true },
    { to: 'contact', field: 'contactId' },
  ],
  within: 'company/{companyId}/activity',
  indexes: { contact: { of: ({ contactId }) => contactId } },
});
