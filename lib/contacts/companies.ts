import { isSameMetadata, mergedMetadata } from '#lib/core/metadata.ts';
import { conflict, invalidField } from '#lib/core/problem.ts';
import {
  Companies,
  CompanyActivities,
  type CreateCompany,
  companyNameKey,
  type PatchCompany,
  type StoredCompany,
  sameCompanyName,
  type UpsertCompany,
} from '#lib/entities/company.ts';
import { Upserts } from '#lib/entities/contact.ts';
import { changedFields, changesOf } from '#lib/events/changes.ts';
import { listPage } from '#lib/table/list.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { primeMember, requireActiveMember } from '#lib/workspaces/active-members.ts';
import { changeValues, holderOfValue, setValues, type ValueChange, withValues } from '#lib/workspaces/value-changes.ts';
import { addCompanyActivity } from './activity.ts';
import { readDomains } from './company-domains.ts';
import { startLinking } from './company-links.ts';
import {
  companyOfDomain,
  companyValues,
  getCompanyFields,
  getStoredCompany,
  requireFreeDomains,
} from './company-read.ts';
import { startCompanyRename } from './rename.ts';
import { unlessMatched } from './upsert.ts';

/** Creates a company (revision 1.4, section 29). Emits company.created. Raises 400, 409 `domain_taken` and `field_value_taken`. */
export async function createCompany(tx: UnitOfWork, input: CreateCompany): Promise<StoredCompany> {
  const domains = readDomains(input.domains ?? []);
  const [custom] = await Promise.all([
    changeValues(tx, companyValues, input.fields),
    primeMember(tx, input.assignedToUserId),
    tx.reserveIds({ [Companies.name]: 1, [CompanyActivities.name]: 1 }),
  ]);
  await Promise.all([
    requireActiveMember(tx, 'assignedToUserId', input.assignedToUserId),
    requireFreeDomains(tx, undefined, domains.domains),
  ]);
  const company = tx.create(Companies, {
    id: await tx.nextId(Companies),
    name: input.name,
    ...domains,
    website: input.website ?? null,
    phone: input.phone ?? null,
    address: input.address ?? null,
    notes: input.notes ?? null,
    assignedToUserId: input.assignedToUserId ?? null,
    contactCount: 0,
    openDealCount: 0,
    createdAt: tx.now,
    updatedAt: null,
    metadata: input.metadata ?? {},
    ...custom.values,
  });
  await addCompanyActivity(tx, company.id, 'Created');
  tx.emit({
    kind: 'company.created',
    subject: `company/${company.id}`,
    data: {
      company_id: String(company.id),
      name: company.name,
      domains: company.domains,
      fields: setValues(custom),
      actor: tx.eventActor,
    },
  });
  startLinking(tx, company);
  return company;
}

/**
 * Changes the given fields. Emits company.updated unless nothing changed. Raises 404, 400, also for more than one transaction takes, and
 * 409 `domain_taken`.
 */
export async function patchCompany(
  tx: UnitOfWork,
  id: number,
  { fields, domains: given, ...patch }: PatchCompany & { metadata?: Record<string, string> | undefined },
): Promise<StoredCompany> {
  const [company] = await Promise.all([getStoredCompany(tx, id), primeMember(tx, patch.assignedToUserId)]);
  const custom = await changeValues(tx, companyValues, fields, company);
  const domains = given === undefined ? undefined : readDomains(given);
  const areOther = domains !== undefined && !isSameList(domains.domains, company.domains);
  const plain = {
    ...patch,
    ...(patch.metadata && isSameMetadata(patch.metadata, company.metadata) && { metadata: undefined }),
  };
  const changed: (keyof StoredCompany & string)[] = [
    ...changedFields(company, plain as Partial<StoredCompany>),
    ...(areOther ? (['domains'] as const) : []),
  ];
  if (changed.length + custom.changed.length === 0) return company;
  if (changed.includes('assignedToUserId')) await requireActiveMember(tx, 'assignedToUserId', patch.assignedToUserId);
  if (areOther) await requireFreeDomains(tx, id, domains.domains);
  const set = Object.fromEntries(changed.map((field) => [field, plain[field as keyof typeof plain]]));
  const next = { ...company, ...custom.values, ...set, ...(areOther && domains) } as StoredCompany;
  const entries = [
    ...activitiesOf(company, next, changed),
    ...custom.texts.map((details): Entry => ['FieldUpdated', details]),
  ];
  await tx.reserveIds({ [CompanyActivities.name]: entries.length });
  for (const [type, details] of entries) await addCompanyActivity(tx, id, type, details);
  const saved = saveCompany(tx, company, next, changed, custom);
  if (saved.name !== company.name) startCompanyRename(tx, saved);
  if (areOther) startLinking(tx, saved);
  return saved;
}

const isSameList = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((one, index) => one === b[index]);

/** Writes a changed company and emits company.updated with what changed. */
function saveCompany(
  tx: UnitOfWork,
  before: StoredCompany,
  after: StoredCompany,
  changed: readonly (keyof StoredCompany & string)[],
  custom?: ValueChange,
): StoredCompany {
  const saved = tx.update(Companies, { ...after, updatedAt: tx.now });
  tx.emit({
    kind: 'company.updated',
    subject: `company/${saved.id}`,
    data: {
      company_id: String(saved.id),
      ...withValues(changesOf(before, after, changed), custom),
      actor: tx.eventActor,
    },
  });
  return saved;
}

type Entry = [Parameters<typeof addCompanyActivity>[2], Parameters<typeof addCompanyActivity>[3]];

/** Entries of the history for changed fields; metadata is a program's own. */
function activitiesOf(before: StoredCompany, after: StoredCompany, changed: readonly (keyof StoredCompany)[]): Entry[] {
  const textOf = (value: unknown) => (value === null ? null : Array.isArray(value) ? value.join(', ') : String(value));
  return changed.flatMap((field): Entry[] => {
    const values = { oldValue: textOf(before[field]), newValue: textOf(after[field]) };
    if (field === 'metadata') return [];
    if (field !== 'assignedToUserId') return [['FieldUpdated', { field, ...values }]];
    return [[after.assignedToUserId === null ? 'Unassigned' : 'Assigned', values]];
  });
}

/** More than one is too many; this many are named. */
const maxNamed = 100;

/** Creates the company, or changes the one that matches. Raises 400 without the value to match, 409 `ambiguous_match`. */
export async function upsertCompany(
  tx: UnitOfWork,
  { matchOn, domain, ...input }: UpsertCompany,
): Promise<{ company: StoredCompany; isNew: boolean }> {
  const { company, create } = await matchCompany(tx, { matchOn, domain, ...input });
  const [own] = domain === undefined ? [] : readDomains([domain], () => 'domain').domains;
  const domains = own === undefined ? input.domains : [...new Set([...(input.domains ?? company?.domains ?? []), own])];
  if (company) {
    const metadata = input.metadata && mergedMetadata(company.metadata, input.metadata);
    const changed = await patchCompany(tx, company.id, { ...input, domains, metadata });
    return { company: changed, isNew: false };
  }
  const { name } = input;
  if (!name) throw invalidField('name', 'required', 'name is required for a new company');
  return { company: await create({ ...input, name, domains }), isNew: true };
}

/** The company that a creation or a change is about. */
interface Match {
  /** Undefined where it is a new one. */
  company: StoredCompany | undefined;
  /** Creates the company, which nobody else creates at the same time. */
  create(input: CreateCompany): Promise<StoredCompany>;
}

/** Returns the company that matches. Raises 400 without the value to match, 409 `ambiguous_match`. */
export async function matchCompany(tx: UnitOfWork, { matchOn, domain, ...input }: UpsertCompany): Promise<Match> {
  // Read before the companies: two upserts of one new name that find none of them meet here.
  const guard = matchOn === 'name' && input.name ? { match: `company/name=${companyNameKey(input.name)}` } : undefined;
  const before = guard && (await tx.find(Upserts, guard));
  const find = () => matched(tx, matchOn, domain, input);
  const found = await find();
  if (found.length > 1)
    throw conflict(
      'ambiguous_match',
      `${found.length} companies have this ${matchOn}: merge them, or change one by its id`,
      { companyIds: found.map(({ id }) => id) },
    );
  return {
    company: found[0],
    async create(given) {
      const made = await unlessMatched(createCompany(tx, given), async () => (await find())[0]);
      const after = guard && { ...guard, companyId: made.id };
      if (after && before) tx.update(Upserts, after);
      else if (after) tx.create(Upserts, after);
      return made;
    },
  };
}

async function matched(
  tx: UnitOfWork,
  matchOn: string,
  domain: string | undefined,
  { name, fields, domains }: Omit<UpsertCompany, 'matchOn'>,
): Promise<StoredCompany[]> {
  const missing = () => invalidField(matchOn, 'required', `${matchOn} is required because it is matched on`);
  if (matchOn === 'domain') {
    const sought = domain ?? domains?.[0];
    if (sought === undefined) throw missing();
    const company = await companyOfDomain(tx, sought);
    return company ? [company] : [];
  }
  if (matchOn === 'name') {
    if (!name) throw missing();
    const wanted = sameCompanyName(name);
    const { items } = await listPage(tx, Companies, { where: { name: companyNameKey(name) }, limit: maxNamed });
    const all = new Map([...items, ...tx.written(Companies)].map((company) => [company.id, company]));
    return [...all.values()].filter((company) => sameCompanyName(company.name) === wanted);
  }
  const slug = matchOn.slice('fields.'.length);
  const id = await holderOfValue(tx, companyValues, slug, fields?.[slug]);
  return id === undefined ? [] : [await getStoredCompany(tx, id)];
}

/** Sets the given custom values; null clears. Emits company.updated unless nothing changed. Raises 400, 404, 409. */
export async function patchCompanyFields(tx: UnitOfWork, id: number, fields: Record<string, unknown>) {
  await patchCompany(tx, id, { fields });
  return getCompanyFields(tx, id);
}

/** Replaces the metadata. Emits company.updated unless nothing changed. Raises 404. */
export async function putCompanyMetadata(tx: UnitOfWork, id: number, metadata: Record<string, string>) {
  return { metadata: (await patchCompany(tx, id, { metadata })).metadata };
}

/** Sets some pairs of the metadata, and removes those of null. Raises 404, 400 for too many. */
export async function patchCompanyMetadata(tx: UnitOfWork, id: number, change: Record<string, string | null>) {
  const { metadata } = await getStoredCompany(tx, id);
  return putCompanyMetadata(tx, id, mergedMetadata(metadata, change));
}
