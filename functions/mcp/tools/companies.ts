import * as v from 'valibot';
import { handler as createCompany } from '#functions/companies/create.ts';
import { handler as createNote } from '#functions/companies/create-activity.ts';
import { handler as getCompany } from '#functions/companies/get.ts';
import { handler as listCompanies } from '#functions/companies/list.ts';
import { handler as listActivities } from '#functions/companies/list-activities.ts';
import { handler as patchCompany } from '#functions/companies/patch.ts';
import { handler as searchCompanies } from '#functions/companies/search.ts';
import { handler as upsertCompany } from '#functions/companies/upsert.ts';
import { checkedByOperation, customFields, fields, listing, object, page, withIncluded } from '#lib/mcp/common.ts';
import { conditions, listOrSearch } from '#lib/mcp/search.ts';
import { idOf, optional, own, pick, type Tool } from '#lib/mcp/tool.ts';

const facts = {
  domains: 'Host names',
  website: 'Website',
  phone: 'Phone',
  address: 'Address',
  notes: 'Notes',
  assignedToUserId: 'Member id',
};

export const companyTools: Tool[] = [
  {
    name: 'companies_search',
    title: 'Search companies',
    description: 'Companies by all given filters.',
    effect: 'reads',
    uses: [listCompanies, searchCompanies],
    takes: {
      ...listing(
        listCompanies,
        { q: 'Name or domain contains', domain: 'Exact domain' },
        { assignedToUserId: '(or none)' },
      ),
      ...conditions,
      fields,
    },
    gives: page,
    run: (ask, args) => listOrSearch(ask, listCompanies, searchCompanies, args),
  },
  {
    name: 'companies_get',
    title: 'Read a company',
    description: 'A company with its history and custom values; contacts_search has its contacts.',
    effect: 'reads',
    uses: [getCompany, listActivities],
    takes: { id: idOf('Company id') },
    gives: object,
    async run(ask, args) {
      const [company, activities] = await Promise.all([
        withIncluded(ask, getCompany, args, ['fields', 'archive']),
        ask(listActivities, args),
      ]);
      return { ...company, activities };
    },
  },
  {
    name: 'companies_create',
    title: 'Create a company',
    description: 'Needs a name. matchOn changes the company with the same value instead.',
    effect: 'is final',
    uses: [createCompany, upsertCompany],
    takes: {
      ...pick(createCompany.route.body, { name: 'Name', ...facts }),
      ...optional(pick(upsertCompany.route.body, { matchOn: 'domain or name', domain: 'To match' })),
      fields: customFields,
    },
    gives: object,
    run: (ask, args) => ask(args['matchOn'] === undefined ? createCompany : upsertCompany, args),
  },
  {
    name: 'companies_update',
    title: 'Update a company',
    description: 'Changes what is given, all or nothing; null clears. Every call adds its note.',
    effect: 'sets and adds',
    uses: [patchCompany, createNote],
    takes: {
      id: idOf('Company id'),
      ...pick(patchCompany.route.body, { name: 'Name', ...facts }),
      fields: customFields,
      note: own(checkedByOperation(v.string()), 'New note'),
    },
    renamed: { text: 'note' },
    gives: object,
    async run(_ask, args, update) {
      const note = args['note'] === undefined ? [] : [[createNote, { id: args['id'], text: args['note'] }] as const];
      const { shown, answers } = await update([[patchCompany, args], ...note]);
      return { ...shown, ...(note.length > 0 && { note: answers.at(-1) }) };
    },
  },
];
