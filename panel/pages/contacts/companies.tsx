import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { type CompanyLink, changeLinks, withLink, withMain, withoutLink } from '../../app/companies.ts';
import { linkTo } from '../../app/route.ts';
import { may, mayChange } from '../../app/session.ts';
import { t } from '../../app/texts.ts';
import { attempt } from '../../app/toasts.ts';
import { Badge } from '../../parts/badge.tsx';
import { CompanyField } from '../../parts/company-field.tsx';
import { idIn } from '../../parts/contact-text.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Field, Form } from '../../parts/form.tsx';
import { Menu } from '../../parts/menu.tsx';
import { UserText } from '../../parts/user-text.tsx';
import type { OneContact } from './one.ts';

/** The companies of a contact, with what they do there; nothing for who may neither see one nor add one. */
export function Companies({ contact }: { contact: OneContact }) {
  const [edited, setEdited] = useState<CompanyLink | 'new'>();
  const { data } = contact;
  if (!data) return null;
  const links = data.companies ?? [];
  const canWrite = mayChange('contacts:write', data) && may('companies:read');
  if (links.length === 0 && !canWrite) return null;
  const show = (companies: CompanyLink[]) => {
    const main = companies.find(({ isPrimary }) => isPrimary);
    contact.change((of) => ({
      ...of,
      companies,
      company: main ? main.name : links.length === 0 ? of.company : null,
    }));
  };
  const put = async (change: Parameters<typeof changeLinks>[1]) => show(await changeLinks(data.id, change));
  const remove = async ({ companyId, name }: CompanyLink) => {
    let before: readonly CompanyLink[] = links;
    const work = () =>
      put((now) => {
        before = now;
        return withoutLink(now, companyId);
      });
    await attempt(work, { said: t.contacts.isRemoved(name), undo: () => put(() => before) });
  };
  return (
    <section class="card" aria-labelledby="companies">
      <div class="row">
        <h2 id="companies">{t.companies.companies}</h2>
        {canWrite && (
          <button type="button" class="small" onClick={() => setEdited('new')}>
            {t.companies.addCompany}
          </button>
        )}
      </div>
      {links.length === 0 && <p class="hint">{t.contacts.noneYet}</p>}
      <ul class="work">
        {links.map((link) => (
          <li key={link.companyId}>
            <a href={linkTo(`/companies/${link.companyId}`)}>
              <UserText text={link.name} />
            </a>
            {link.title && (
              <span class="hint">
                <UserText text={link.title} />
              </span>
            )}
            {link.isPrimary && links.length > 1 && <Badge>{t.companies.main}</Badge>}
            {canWrite && (
              <Menu
                text="…"
                label={t.common.actionsFor(link.name)}
                items={[
                  { text: t.companies.editTitle, choose: () => setEdited(link) },
                  ...(link.isPrimary
                    ? []
                    : [
                        {
                          text: t.companies.makeMain,
                          choose: () => void attempt(() => put((now) => withMain(now, link.companyId))),
                        },
                      ]),
                  { text: t.companies.remove, isDangerous: true, choose: () => remove(link) },
                ]}
              />
            )}
          </li>
        ))}
      </ul>
      {edited && (
        <EditCompany
          contact={data}
          link={edited === 'new' ? undefined : edited}
          put={put}
          onClose={() => setEdited(undefined)}
        />
      )}
    </section>
  );
}

interface EditCompanyProps {
  contact: Schema<'ContactWithTags'>;
  /** Undefined for one that is added. */
  link: CompanyLink | undefined;
  put(change: Parameters<typeof changeLinks>[1]): Promise<void>;
  onClose(): void;
}

/** Returns the id of the company that a text names: the one chosen, else the one of that name, which is made where there is none. */
async function companyOf(text: string): Promise<number | null> {
  if (/\(#\d+\)$/.test(text) || !may('companies:write')) return idIn(text, () => t.companies.chooseOne);
  const { items } = await api.get('/v1/companies', { params: { query: { q: text, limit: 100 } } });
  const known = items.find(({ name }) => name.toLowerCase() === text.toLowerCase());
  return (known ?? (await api.post('/v1/companies/upsert', { body: { matchOn: 'name', name: text } }))).id;
}

/** Adds a company to a contact, or changes what they do there. */
const EditCompany = ({ contact, link, put, onClose }: EditCompanyProps) => (
  <Dialog title={link ? t.common.editName(link.name) : t.companies.addCompany} onClose={onClose}>
    <Form
      submit={link ? t.common.save : t.contacts.add}
      onCancel={onClose}
      onSubmit={async ({ companyId: text = '', title = null }) => {
        const id = link?.companyId ?? (await companyOf(text));
        if (id !== null) await put((now) => withLink(now, id, title));
        onClose();
      }}
    >
      {!link && (
        <CompanyField
          required
          value={contact.companies?.length ? undefined : (contact.company ?? undefined)}
          hint={may('companies:write') ? t.companies.foundOrMade : undefined}
        />
      )}
      <Field
        label={t.companies.jobTitle}
        name="title"
        maxLength={200}
        value={link?.title}
        placeholder={t.companies.headOfSales}
      />
    </Form>
  </Dialog>
);
