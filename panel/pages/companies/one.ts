import type { Company } from '../../app/companies.ts';
import type { Loaded } from '../../app/load.ts';

/** The company that a page shows and changes. */
export type OneCompany = Loaded<Company>;
