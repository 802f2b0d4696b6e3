import type { ImportObject } from '#lib/core/choices.ts';
import type { StoredField } from '#lib/entities/field.ts';
import { kindOf } from './mapping.ts';
import { importedObjects } from './objects/all.ts';

/** Names that other programs give to columns, without signs: HubSpot, Pipedrive, Salesforce, Google Contacts, and plain ones. */
const common: Readonly<Record<ImportObject, Readonly<Record<string, string>>>> = {
  contacts: {
    name: 'fullname|contactname|displayname|personname|person|contact|kontakt',
    username: 'telegram|telegramusername|handle',
    email: 'emailaddress|mail|email1value|emailwork|primaryemail|personemail|workemail|emailid',
    phone:
      'phonenumber|telephone|tel|mobile|mobilephone|mobilephonenumber|phone1value|phonework|cell|businessphone|primaryphone|personphone',
    addresses:
      'email2value|email3value|phone2value|phone3value|homephone|otherphone|emailhome|emailother|phonehome|phonemobile|phoneother|additionalemailaddresses|secondaryemail|personalemail|email2address',
    company:
      'companyname|associatedcompany|associatedcompanyprimary|organization|organisation|organizationname|organization1name|account|accountname|employer|firma',
    notes: 'note|description|comments|comment',
    stage: 'lifecyclestage|leadstatus|status',
    tags: 'tag|labels|label|groupmembership|groups',
    leadScore: 'score|hubspotscore',
    assignee: 'owner|contactowner|owneremail|assignedto|leadowner',
  },
  companies: {
    name: 'companyname|organization|organisation|organizationname|account|accountname|firma',
    domains: 'domain|companydomain|companydomainname|emaildomain',
    website: 'websiteurl|url|web|homepage|site',
    phone: 'phonenumber|telephone|tel|mainphone|companyphone',
    address: 'streetaddress|billingaddress|fulladdress|location',
    notes: 'note|description|aboutus|comments',
    assignee: 'owner|companyowner|accountowner|owneremail|assignedto',
  },
  deals: {
    title: 'dealname|dealtitle|name|opportunityname|opportunity|deal',
    value: 'amount|dealvalue|dealamount|price|revenue',
    currency: 'currencycode|dealcurrencycode|dealcurrency|currencyisocode',
    stage: 'dealstage|pipelinestage',
    probability: 'dealprobability|winprobability',
    expectedCloseAt: 'closedate|expectedclosedate|expectedclose',
    notes: 'note|description|dealdescription|comments|nextstep',
    contact: 'contactperson|associatedcontact|contactemail|primarycontact|person|email',
    company: 'companyname|associatedcompany|associatedcompanyprimary|organization|organisation|account|accountname',
    assignee: 'owner|dealowner|opportunityowner|owneremail|assignedto',
    lostReason: 'closedlostreason|lossreason|reasonlost',
  },
  tasks: {
    title: 'tasktitle|subject|name|tasksubject|task|activitysubject',
    description: 'notes|note|tasknotes|comments|body',
    status: 'taskstatus|state',
    priority: 'taskpriority',
    dueAt: 'duedate|due|activitydate|deadline',
    remindAt: 'reminder|reminderdate|reminddate',
    contact: 'associatedcontact|contactemail|contactperson|person|email|who',
    deal: 'associateddeal|dealname|opportunity',
    assignee: 'assignedto|owner|taskowner|owneremail|activityowner',
  },
  notes: {
    text: 'note|notes|body|notebody|content|comments|description',
    createdAt: 'date|createdate|created|activitydate|noteaddtime|addtime|timestamp',
    contact: 'associatedcontact|contactemail|contactperson|person|email|who',
    deal: 'associateddeal|dealname|opportunity',
    company: 'companyname|associatedcompany|organization|organisation|account|accountname',
  },
};

/** Headers that together are one name, in the order of the file. */
const partsOfName = /^(first|middle|last|given|family|additional)name$|^surname$|^lastname$/;

const plain = (header: string) =>
  header
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');

/** Returns the field of each header that its name suggests, or null; a field that takes one column is suggested once. */
export function suggestionsFor(
  object: ImportObject,
  headers: readonly string[],
  fields: readonly StoredField[],
): (string | null)[] {
  const named = new Map(
    Object.entries(common[object]).flatMap(([field, names]) => names.split('|').map((name) => [name, field] as const)),
  );
  const taken = new Set<string>();
  const mayTake = (field: string) => {
    const kind = kindOf(object, field, fields);
    return kind === 'texts' || kind === 'integers' || !taken.has(field);
  };
  const take = (field: string) => {
    taken.add(field);
    return field;
  };
  const suggested: (string | null)[] = headers.map((header) => {
    const field = exactField(object, header, fields);
    return field !== null && mayTake(field) ? take(field) : null;
  });
  for (const [index, header] of headers.entries()) {
    const field = named.get(plain(header));
    if (suggested[index] === null && field !== undefined && mayTake(field)) suggested[index] = take(field);
  }
  if (object === 'contacts' && !taken.has('name'))
    for (const [index, header] of headers.entries())
      if (suggested[index] === null && partsOfName.test(plain(header))) suggested[index] = 'name';
  return suggested;
}

/** Returns the field that a header is the API's own name of, or a custom field that has it as slug or title. */
function exactField(object: ImportObject, header: string, fields: readonly StoredField[]): string | null {
  const name = header.trim();
  if (kindOf(object, name, fields) !== undefined) return name;
  const sought = plain(name);
  const own = Object.keys(importedObjects[object].targets).find((target) => plain(target) === sought);
  if (own !== undefined) return own;
  const custom = fields.find(({ slug, title }) => plain(slug) === sought || plain(title) === sought);
  return custom ? `fields.${custom.slug}` : null;
}
