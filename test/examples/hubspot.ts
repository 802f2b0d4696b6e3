import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Custom fields of contacts as `fields.csv` has them, with a cell for the n-th person and the value that the API answers. */
const columns: [header: string, slug: string, type: string, options: string, cell: Cell][] = [
  ['Customer number', 'customer_number', 'text', '', (n) => [`C-${n}`]],
  ['Motto', 'motto', 'text', '', (n) => [`Say "${n}", twice`]],
  ['Message', 'message', 'long_text', '', (n) => [`Line one of ${n}\nline two; with a semicolon`]],
  ['Seats', 'seats', 'number', '', (n) => [String(n / 4), n / 4]],
  ['Score', 'score', 'number', '', (n) => [String(-1 - n), -1 - n]],
  ['Annual budget', 'annual_budget', 'money', 'EUR', (n) => [`${n}.50`, { amount: n + 0.5, currency: 'EUR' }]],
  ['Yen budget', 'yen_budget', 'money', 'JPY', (n) => [String(n * 100), { amount: n * 100, currency: 'JPY' }]],
  ['Opted in', 'opted_in', 'checkbox', '', (n) => [n % 2 ? 'true' : 'false', n % 2 === 1]],
  ['VAT registered', 'vat_registered', 'checkbox', '', (n) => [n % 3 ? 'Yes' : 'No', n % 3 > 0]],
  ['Customer since', 'customer_since', 'date', '', (n) => [`2024-02-${String(1 + (n % 29)).padStart(2, '0')}`]],
  ['Birthday', 'birthday', 'date', '', (n) => [`${1950 + (n % 50)}-12-31`]],
  [
    'Last visit',
    'last_visit',
    'datetime',
    '',
    (n) => [`2026-03-0${1 + (n % 9)} 14:05`, `2026-03-0${1 + (n % 9)}T14:05:00Z`],
  ],
  [
    'Lead Source',
    'lead_source',
    'select',
    'Trade fair;Referral;Website',
    (n) => [pick(n, 'Trade fair', 'Referral', 'Website')],
  ],
  ['Tier', 'tier', 'select', 'Gold;Silver', (n) => [pick(n, 'Gold', 'Silver')]],
  [
    'Interests',
    'interests',
    'multi_select',
    'Pricing;Support;Training',
    (n) => (n % 2 ? ['Support;Pricing', ['Support', 'Pricing']] : ['Training', ['Training']]),
  ],
  ['LinkedIn', 'linkedin', 'url', '', (n) => [`https://linkedin.example/in/${n}`]],
  ['Billing e-mail', 'billing_email', 'email', '', (n) => [`billing${n}@books.example`]],
  ['Assistant phone', 'assistant_phone', 'phone', '', (n) => [`+49 30 55${String(n).padStart(5, '0')}`]],
  ['Referred by', 'referred_by', 'company', '', (n) => [companyOf(n + 1)]],
  ['Customer success', 'customer_success', 'member', '', () => ['ann@example.com']],
];
type Cell = (n: number) => [cell: string, value?: unknown];
const pick = (n: number, ...values: string[]) => values[n % values.length] as string;

const people = 'Zoë,Ada,李雷,Søren,María,O’Neil'.split(',');
const companyCount = (count: number) => Math.ceil(count / 10);
/** The Record ID of a company, of which there is one for ten people. */
let companies = 1;
const companyOf = (n: number) => String(9000 + (n % companies));

const boards = {
  'Sales Pipeline': {
    Scheduled: 'lead',
    Qualified: 'qualified',
    'Contract Sent': 'negotiation',
    'Closed Won': 'won',
    'Closed Lost': 'lost',
  },
  Renewals: { 'Reminder Sent': 'proposal', 'Second Reminder': 'proposal', Renewed: 'won', 'Not Renewed': 'lost' },
} as const;

const quoted = (cell: string) => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/** Writes an export in the form of HubSpot's, and returns what the API should answer for each of its records. */
export async function writeExport(folder: string, peopleCount: number, dealCount: number) {
  companies = companyCount(peopleCount);
  const write = (name: string, header: string[], rows: string[][]) =>
    writeFile(
      join(folder, `${name}.csv`),
      `\ufeff${[header, ...rows].map((row) => row.map(quoted).join(',')).join('\r\n')}\r\n`,
    );
  const wantedCompanies = Array.from({ length: companies }, (_, n) => ({
    recordId: String(9000 + n),
    name: `Müller & Söhne, No. ${n}`,
    domains: [`mueller-soehne-${n}.com`],
    phone: `+49 30 9018${String(n).padStart(3, '0')}`,
    address: `Hauptstraße ${n}`,
    employees: n * 7,
  }));
  const wantedContacts = Array.from({ length: peopleCount }, (_, n) => ({
    recordId: String(100_000 + n),
    name: `${pick(n, ...people)} Person-${n}`,
    addresses: [
      { kind: 'email', value: `person${n}@mueller-soehne-${n % companies}.com`, label: null, isPrimary: true },
      { kind: 'phone', value: `+49 30 77${String(n).padStart(5, '0')}`, label: null, isPrimary: true },
      n % 2
        ? { kind: 'email', value: `private${n}@home.example`, label: null, isPrimary: false }
        : { kind: 'phone', value: `+49 170 88${String(n).padStart(5, '0')}`, label: 'mobile', isPrimary: false },
    ],
    companies: [...new Set([companyOf(n), ...(n % 3 ? [] : [companyOf(n + 2)])])],
    title: `Head of ${n}`,
    fields: Object.fromEntries(
      columns.map(([, slug, type, , cell]) => {
        const [text, value = text] = cell(n);
        return [slug, type === 'company' || type === 'member' ? { [type]: value } : value];
      }),
    ),
  }));
  const stages = Object.entries(boards).flatMap(([board, of]) =>
    Object.entries(of).map(([column, stage]) => [board, column, stage]),
  );
  const wantedDeals = Array.from({ length: dealCount }, (_, n) => {
    const [pipeline, column, stage] = stages[n % stages.length] as [string, string, string];
    return {
      recordId: String(50_000 + n),
      title: `Deal, "${n}"`,
      pipeline,
      column,
      stage,
      value: n * 10.5,
      currency: pick(n, 'EUR', 'USD'),
      closeAt: `2027-01-${String(1 + (n % 28)).padStart(2, '0')}`,
      lostReason: stage === 'lost' ? `Too dear, ${n}` : null,
      contact: String(100_000 + (n % peopleCount)),
      company: companyOf(n % peopleCount),
      isSigned: n % 2 === 0,
    };
  });
  await Promise.all([
    write(
      'fields',
      ['Object', 'Column', 'Slug', 'Type', 'Options', 'Unique'],
      [
        ...columns.map(([header, slug, type, options]) => [
          'contact',
          header,
          slug,
          type,
          options,
          slug === 'customer_number' ? 'true' : '',
        ]),
        ['company', 'Number of Employees', 'employees', 'number', '', ''],
        ['deal', 'Contract signed', 'contract_signed', 'checkbox', '', ''],
      ],
    ),
    write('pipelines', ['Pipeline', 'Deal Stage', 'Stage'], stages),
    write(
      'companies',
      ['Record ID', 'Company name', 'Company Domain Name', 'Phone Number', 'Street Address', 'Number of Employees'],
      wantedCompanies.map(({ recordId, name, domains, phone, address, employees }) => [
        recordId,
        name,
        domains.join(';'),
        phone,
        address,
        String(employees),
      ]),
    ),
    write(
      'contacts',
      [
        'Record ID',
        'First Name',
        'Last Name',
        'Email',
        'Phone Number',
        'Additional email addresses',
        'Mobile Phone Number',
        'Job Title',
        'Associated Company IDs',
        ...columns.map(([header]) => header),
      ],
      wantedContacts.map(({ recordId, name, addresses: [email, phone, further], companies: of, title }, n) => [
        recordId,
        ...name.split(' '),
        email?.value ?? '',
        phone?.value ?? '',
        ...(further?.kind === 'email' ? [further.value, ''] : ['', further?.value ?? '']),
        title,
        of.join(';'),
        ...columns.map(([, , , , cell]) => cell(n)[0]),
      ]),
    ),
    write(
      'deals',
      [
        'Record ID',
        'Deal Name',
        'Pipeline',
        'Deal Stage',
        'Amount',
        'Currency',
        'Close Date',
        'Closed Lost Reason',
        'Associated Contact IDs',
        'Associated Company IDs',
        'Contract signed',
      ],
      wantedDeals.map((deal) => [
        deal.recordId,
        deal.title,
        deal.pipeline,
        deal.column,
        String(deal.value),
        deal.currency,
        `${deal.closeAt} 10:00`,
        deal.lostReason ?? '',
        deal.contact,
        deal.company,
        String(deal.isSigned),
      ]),
    ),
  ]);
  return { companies: wantedCompanies, contacts: wantedContacts, deals: wantedDeals };
}
