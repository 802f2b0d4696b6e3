import * as v from 'valibot';
import { idInput } from '#lib/core/schema.ts';
import { Company, CreateCompany, PatchCompany, readOnlyInPatch, UpsertCompany } from '#lib/entities/company.ts';
import { batchAnswer, batchBody, batchOp } from '#lib/table/batch.ts';
import { createCompany, patchCompany, upsertCompany } from './companies.ts';

/** Domains and names are looked for among all, so that items with them run one after the other. */
const everything = () => '*';

/** Kinds of items in a batch of companies (revision 1.4, section 29). */
export const companyOps = {
  create: batchOp({
    schema: v.pipe(v.object({ op: v.literal('create'), ...CreateCompany.entries }), v.title('CreateCompanyItem')),
    run: async (tx, { op, ...input }) => ({ status: 201, shown: await createCompany(tx, input) }),
  }),
  update: batchOp({
    schema: v.pipe(
      v.object({ op: v.literal('update'), id: idInput(), ...PatchCompany.entries }),
      v.title('UpdateCompanyItem'),
    ),
    readOnly: { metadata: readOnlyInPatch.metadata },
    touches: ({ id }) => `company/${id}`,
    run: async (tx, { op, id, ...patch }) => ({ status: 200, shown: await patchCompany(tx, id, patch) }),
  }),
  upsert: batchOp({
    schema: v.pipe(v.object({ op: v.literal('upsert'), ...UpsertCompany.entries }), v.title('UpsertCompanyItem')),
    touches: everything,
    run: async (tx, { op, ...input }) => {
      const { company, isNew } = await upsertCompany(tx, input);
      return { status: isNew ? 201 : 200, shown: company };
    },
  }),
};

export const CompanyBatch = batchBody('CompanyBatch', companyOps);
export const CompanyBatchResults = batchAnswer('CompanyBatchResults', 'company', Company);
