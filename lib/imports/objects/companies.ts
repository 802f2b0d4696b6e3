import { createCompany, matchCompany, patchCompany } from '#lib/contacts/companies.ts';
import { archiveCompany } from '#lib/contacts/company-archive.ts';
import { parseFields } from '#lib/core/fields.ts';
import { mergedMetadata } from '#lib/core/metadata.ts';
import { Companies, CreateCompany, type StoredCompany, UpsertCompany } from '#lib/entities/company.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { shownValues } from '#lib/workspaces/fields.ts';
import { type ImportedObject, named, only, type RowInput, type Values, within, withoutNull } from './object.ts';
import { takeRecord } from './record.ts';
import { memberAt } from './relations.ts';

const plain = ['name', 'domains', 'website', 'phone', 'address', 'notes', 'assignedToUserId'] as const;

/** Companies from rows. */
export const companies: ImportedObject = {
  targets: {
    id: 'integer',
    name: 'text',
    domain: 'text',
    domains: 'texts',
    website: 'text',
    phone: 'text',
    address: 'text',
    notes: 'text',
    assignee: 'text',
    assignedToUserId: 'integer',
    metadata: 'json',
  },
  joined: { address: ', ', notes: '\n' },
  matchKeys: ['id', 'domain', 'name'],
  matchesMetadata: false,

  async take(tx, { assignee, domain, domains, ...rest }, rules) {
    const hosts = [...new Set([domain ?? [], domains ?? []].flat())];
    const input = {
      ...rest,
      ...(hosts.length > 0 && { domains: hosts }),
      ...(typeof assignee === 'string' && { assignedToUserId: await memberAt(tx, assignee) }),
    };
    return takeRecord(
      tx,
      {
        noun: 'company',
        of: Companies,
        async match(_, matchOn, row) {
          const { company, create } = await matchCompany(tx, parseFields(UpsertCompany, { ...row, matchOn }));
          return { id: company?.id, change: row, make: () => create(parseFields(CreateCompany, row)) };
        },
        create: async (_, row, make = () => createCompany(tx, parseFields(CreateCompany, row))) => (await make()).id,
        change,
        read,
      },
      input,
      rules,
    );
  },

  async remove(tx, { recordId }) {
    const company = await tx.find(Companies, { id: recordId });
    if (company === undefined || company.archive) return false;
    await archiveCompany(tx, recordId);
    return true;
  },

  read,

  async giveBack(tx, id, old) {
    const { metadata: present } = (await tx.find(Companies, { id })) as StoredCompany;
    await patchCompany(tx, id, {
      ...only(plain, old),
      fields: within('fields', old),
      metadata: withoutNull({ ...present, ...within('metadata', old) }),
    });
  },
};

/** Adds domains and pairs of metadata to those that the company has, as an upsert does. */
async function change(tx: UnitOfWork, id: number, row: RowInput): Promise<void> {
  const {
    domains,
    metadata,
    matchOn: _,
    domain: __,
    ...input
  } = parseFields(UpsertCompany, { ...row, matchOn: 'name' });
  const company = (await tx.find(Companies, { id })) as StoredCompany;
  await patchCompany(tx, id, {
    ...input,
    ...(domains && { domains: [...new Set([...company.domains, ...domains])] }),
    ...(metadata && { metadata: mergedMetadata(company.metadata, metadata) }),
  });
}

async function read(tx: UnitOfWork, id: number) {
  const company = await tx.find(Companies, { id });
  if (company === undefined || company.archive) return undefined;
  const values: Values = {
    ...only(plain, company),
    ...named('metadata', company.metadata),
    ...named('fields', await shownValues(tx, 'company', company)),
  };
  return { values, updatedAt: company.updatedAt };
}
