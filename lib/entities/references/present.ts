import { Companies, MergedCompanies, type StoredCompany } from '#lib/entities/company.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

/** Through how many merges a company is followed. */
const maxMerges = 20;

/** Returns companies by the ids that name them: a merged company is the one that it became, and one that is gone is left out. */
export async function presentCompanies(tx: UnitOfWork, ids: readonly number[]): Promise<Map<number, StoredCompany>> {
  const present = new Map<number, StoredCompany>();
  let named = new Map(ids.map((id) => [id, id]));
  for (let left = maxMerges; named.size > 0 && left > 0; left -= 1) {
    const places = [...new Set(named.values())].map((id) => ({ id }));
    const companies = new Map((await tx.findAll(Companies, places)).map((company) => [company.id, company]));
    const missing = places.filter(({ id }) => !companies.has(id));
    const merged = missing.length === 0 ? [] : await tx.findAll(MergedCompanies, missing);
    const intoOf = new Map(merged.map(({ id, into }) => [id, into]));
    const following = new Map<number, number>();
    for (const [id, at] of named) {
      const [company, into] = [companies.get(at), intoOf.get(at)];
      if (company) present.set(id, company);
      else if (into !== undefined) following.set(id, into);
    }
    named = following;
  }
  return present;
}
