import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { type Company, type CompanyLink, changeLinks, withLink, withMain, withoutLink } from '../../app/companies.ts';
import { everyPage } from '../../app/every-page.ts';
import { touching } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { linkTo } from '../../app/route.ts';
import { mayChange } from '../../app/session.ts';
import { nameOf } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { attempt } from '../../app/toasts.ts';
import { Badge } from '../../parts/badge.tsx';
import { ContactField } from '../../parts/contact-field.tsx';
import { contactIn } from '../../parts/contact-text.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Field, Form } from '../../parts/form.tsx';
import { Menu } from '../../parts/menu.tsx';
import { Pending } from '../../parts/pending.tsx';
import { UserText } from '../../parts/user-text.tsx';

type Contact = Schema<'Contact'>;

const pageSize = 100;

const linkOf = ({ companies = [] }: Contact, companyId: number): CompanyLink | undefined =>
  companies.find((link) => link.companyId === companyId);

/** The contacts of a company with what they do there. */
export function People({ company }: { company: Pick<Company, 'id' | 'name' | 'archive'> }) {
  const { id } = company;
  const [pages, setPages] = useState(1);
  const people = useLoaded(
    (signal) =>
      everyPage(
        (after: number | undefined) =>
          api.get('/v1/companies/{id}/contacts', {
            signal,
            params: { path: { id }, query: { include: 'companies', limit: pageSize, after } },
          }),
        pages,
      ),
    [id, pages],
    touching('contact', 'company'),
  );
  const [edited, setEdited] = useState<Contact | 'new'>();
  const { data, error, reload } = people;
  const canWrite = mayChange('contacts:write', company);
  const remove = async (contact: Contact) => {
    let before: readonly CompanyLink[] = [];
    const isDone = await attempt(
      () =>
        changeLinks(contact.id, (links) => {
          before = links;
          return withoutLink(links, id);
        }),
      {
        said: t.companies.isNoLongerAt(nameOf(contact), company.name),
        undo: () => changeLinks(contact.id, () => before).then(reload),
      },
    );
    if (isDone) reload();
  };
  const setMain = async (contact: Contact) => {
    if (await attempt(() => changeLinks(contact.id, (links) => withMain(links, id)))) reload();
  };
  return (
    <section class="card" aria-labelledby="people">
      <div class="row">
        <h2 id="people">{t.companies.people}</h2>
        {canWrite && (
          <button type="button" class="small" onClick={() => setEdited('new')}>
            {t.companies.addAContact}
          </button>
        )}
      </div>
      <Pending data={data} error={error} reload={reload} lines={3} />
      {data?.items.length === 0 && <p class="hint">{t.companies.nobodyIsKnownThere}</p>}
      <ul class="work">
        {data?.items.map((contact) => {
          const link = linkOf(contact, id);
          const hasOthers = (contact.companies?.length ?? 0) > 1;
          return (
            <li key={contact.id}>
              <a href={linkTo(`/contacts/${contact.id}`)}>
                <UserText text={nameOf(contact)} />
              </a>
              {link?.title && (
                <span class="hint">
                  <UserText text={link.title} />
                </span>
              )}
              {hasOthers && link?.isPrimary && <Badge>{t.companies.main}</Badge>}
              {contact.email && <span class="hint">{contact.email}</span>}
              {canWrite && (
                <Menu
                  text="…"
                  label={t.common.actionsFor(nameOf(contact))}
                  items={[
                    { text: t.companies.editTitle, choose: () => setEdited(contact) },
                    ...(hasOthers && !link?.isPrimary
                      ? [{ text: t.companies.makeMain, choose: () => setMain(contact) }]
                      : []),
                    { text: t.companies.remove, isDangerous: true, choose: () => remove(contact) },
                  ]}
                />
              )}
            </li>
          );
        })}
      </ul>
      {data?.hasMore && (
        <button type="button" class="small" onClick={() => setPages(pages + 1)}>
          {t.companies.showMore}
        </button>
      )}
      {edited && (
        <EditPerson
          company={company}
          contact={edited === 'new' ? undefined : edited}
          onDone={reload}
          onClose={() => setEdited(undefined)}
        />
      )}
    </section>
  );
}

interface EditPersonProps {
  company: Pick<Company, 'id' | 'name'>;
  /** Undefined for one that is added. */
  contact: Contact | undefined;
  onDone(): void;
  onClose(): void;
}

/** Adds a contact to a company, or changes what one does there. */
const EditPerson = ({ company, contact, onDone, onClose }: EditPersonProps) => (
  <Dialog
    title={contact ? t.companies.titleOf(nameOf(contact), company.name) : t.companies.addAContact}
    onClose={onClose}
  >
    <Form
      submit={contact ? t.common.save : t.contacts.add}
      onCancel={onClose}
      onSubmit={async ({ contactId, title = null }) => {
        const id = contact?.id ?? contactIn(contactId);
        if (id === null) return;
        await changeLinks(id, (links) => withLink(links, company.id, title));
        onDone();
        onClose();
      }}
    >
      {!contact && <ContactField required />}
      <Field
        label={t.companies.jobTitle}
        name="title"
        maxLength={200}
        value={contact && linkOf(contact, company.id)?.title}
        placeholder={t.companies.headOfSales}
      />
    </Form>
  </Dialog>
);
