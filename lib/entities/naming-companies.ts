import type { Entity } from '#lib/table/entity.ts';
import { Companies, CompanyActivities } from './company.ts';
import { Contacts } from './contact.ts';
import { Deals } from './deal.ts';
import { Tasks } from './task.ts';

/**
 * Entities that refer to companies: a function that merges or renames carries no others. Made of their `references` by
 * `npm run entities`.
 */
export const namingCompanies: readonly Entity[] = [Companies, CompanyActivities, Contacts, Deals, Tasks];
