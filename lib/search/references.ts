import { oncePer } from '#lib/core/async.ts';
import { Members } from '#lib/entities/member.ts';
import { presentCompanies } from '#lib/entities/references/present.ts';
import { sameName, Tags } from '#lib/entities/tag.ts';
import type { Item } from '#lib/table/entity.ts';
import { listAll } from '#lib/table/list.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { id, type Kind, WrongValue } from './kinds.ts';

const nothing = (what: string, where: string) =>
  new WrongValue('unknown_reference', `names no ${what} of this workspace: see ${where}`);

async function requireMember(tx: UnitOfWork, memberId: number): Promise<void> {
  if ((await tx.find(Members, { id: memberId })) === undefined) throw nothing('member', 'GET /v1/members');
}

/** A filter may name many tags. */
const allTags = oncePer<UnitOfWork, Item<typeof Tags>[]>();

/** A tag by its id or its name. */
export const tag: Kind = {
  ...id('tag'),
  async read(value, { tx }) {
    if (typeof value !== 'number' && typeof value !== 'string')
      throw new WrongValue('invalid_type', 'must be the id or the name of a tag');
    const found =
      typeof value === 'number'
        ? await tx.find(Tags, { id: value })
        : (await allTags(tx, () => listAll(tx, Tags))).find(({ name }) => sameName(name) === sameName(value.trim()));
    if (found === undefined) throw nothing('tag', 'GET /v1/tags');
    return found.id;
  },
};

/** A member, who may have left. */
export const member = id('member', requireMember);

const companyId = id('company');

/** A company, also by the id of one that was merged into it. */
export const company: Kind = {
  ...companyId,
  async read(value, reading) {
    const given = Number(await companyId.read(value, reading));
    const present = (await presentCompanies(reading.tx, [given])).get(given);
    if (present === undefined) throw nothing('company', 'GET /v1/companies');
    return present.id;
  },
};
