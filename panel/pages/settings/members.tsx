import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { touching } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { place } from '../../app/route.ts';
import { current } from '../../app/session.ts';
import { nameOf, worded } from '../../app/show.ts';
import { attempt } from '../../app/toasts.ts';
import { Badge } from '../../parts/badge.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Choice, Filters, filter, SearchField } from '../../parts/filters.tsx';
import { Field, Form, type Values } from '../../parts/form.tsx';
import { Menu } from '../../parts/menu.tsx';
import { type Column, cursor, Paged } from '../../parts/paged.tsx';
import { When } from '../../parts/when.tsx';
import { isAdmin, isOwner } from './role.ts';

type Member = Schema<'Member'>;
type Role = Member['role'];

const roles: readonly (readonly [Role, string])[] = [
  ['member', 'Member: everything but keys, accounts, finance and erasure'],
  ['admin', 'Admin: everything'],
  ['owner', 'Owner: everything, and makes owners'],
];

const offered = () => roles.filter(([role]) => role !== 'owner' || isOwner());
const patch = (id: number, body: { name?: string | null; role?: Role; isActive?: boolean }) =>
  api.patch('/panel/members/{id}', { params: { path: { id } }, body });

type Open = 'invite' | { of: 'edit' | 'deactivate'; member: Member };

/** An e-mail address that is broken behind its @ where there is little room. */
function Address({ of }: { of: string }) {
  const at = of.indexOf('@') + 1;
  return (
    <>
      {of.slice(0, at)}
      <wbr />
      {of.slice(at)}
    </>
  );
}

export function Members() {
  const isActive = filter('isActive');
  const members = useLoaded(
    (signal) =>
      api.get('/v1/members', {
        signal,
        params: {
          query: {
            limit: 50,
            after: cursor(),
            q: filter('q'),
            isActive: isActive === undefined ? undefined : isActive === 'true',
          },
        },
      }),
    [String(place.value.query)],
    touching('member'),
  );
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const show = (id: number, change: Partial<Member>) =>
    members.change((before) => ({
      ...before,
      items: before.items.map((member) => (member.id === id ? { ...member, ...change } : member)),
    }));
  const activate = async (member: Member) => {
    show(member.id, { isActive: true });
    const done = await attempt(() => patch(member.id, { isActive: true }), {
      said: `${nameOf(member)} can sign in again.`,
      takeBack: () => show(member.id, { isActive: false }),
    });
    if (done) members.reload();
  };
  const columns: readonly Column<Member>[] = [
    {
      title: 'Name',
      show: (member) => (
        <>
          {nameOf(member)} {member.id === current.value?.member.id && <span class="muted">(you)</span>}
          <p class="hint">
            <Address of={member.email} />
          </p>
        </>
      ),
    },
    { title: 'Role', show: ({ role }) => <Badge tone={role === 'member' ? 'plain' : 'accent'}>{worded(role)}</Badge> },
    {
      title: 'State',
      isWide: true,
      show: ({ isActive: is }) => <Badge tone={is ? 'good' : 'plain'}>{is ? 'Active' : 'Deactivated'}</Badge>,
    },
    { title: 'Since', isWide: true, show: ({ createdAt }) => <When at={createdAt} /> },
    ...(isAdmin()
      ? [
          {
            title: 'Actions',
            show: (member: Member) => (
              <Menu
                text="Actions"
                label={`Actions for ${nameOf(member)}`}
                items={[
                  { text: 'Edit', choose: () => setOpen({ of: 'edit', member }) },
                  member.isActive
                    ? { text: 'Deactivate', isDangerous: true, choose: () => setOpen({ of: 'deactivate', member }) }
                    : { text: 'Activate', choose: () => void activate(member) },
                ]}
              />
            ),
          },
        ]
      : []),
  ];
  return (
    <>
      <div class="row">
        <Filters>
          <SearchField label="Search" />
          <Choice
            label="State"
            name="isActive"
            all="Everybody"
            options={[
              ['true', 'Active'],
              ['false', 'Deactivated'],
            ]}
          />
        </Filters>
        {isAdmin() && (
          <button type="button" class="primary" data-new onClick={() => setOpen('invite')}>
            Invite a member
          </button>
        )}
      </div>
      <Paged
        caption="Members"
        of={members}
        columns={columns}
        keyOf={({ id }) => id}
        skeletonRows={3}
        empty={
          <Empty title="Nobody like that">
            <p>Change the search and the filter to see others.</p>
          </Empty>
        }
      />
      {open === 'invite' && <Invite onDone={members.reload} onClose={close} />}
      {typeof open === 'object' && open.of === 'edit' && (
        <Edit member={open.member} onDone={members.reload} onClose={close} />
      )}
      {typeof open === 'object' && open.of === 'deactivate' && (
        <Confirm
          title={`Deactivate ${nameOf(open.member)}?`}
          action="Deactivate"
          isDangerous
          onClose={close}
          onConfirm={async () => {
            await patch(open.member.id, { isActive: false });
            members.reload();
          }}
        >
          <p>Their sessions end at once, and they cannot sign in until they are activated again.</p>
        </Confirm>
      )}
    </>
  );
}

interface DialogProps {
  onDone(): void;
  onClose(): void;
}

function Invite({ onDone, onClose }: DialogProps) {
  const invite = async ({ email = '', name, role }: Values) => {
    await api.post('/panel/members', { body: { email, name, role: role as Role } });
    onDone();
    onClose();
    await attempt(async () => {}, { said: `An invitation is on its way to ${email}.` });
  };
  return (
    <Dialog title="Invite a member" onClose={onClose}>
      <Form submit="Send the invitation" onSubmit={invite} onCancel={onClose}>
        <p class="hint">They get a mail with a link that signs them in.</p>
        <Field label="E-mail" name="email" type="email" required autocomplete="off" />
        <Field label="Name" name="name" maxLength={200} autocomplete="off" />
        <Field label="Role" name="role" options={offered()} />
      </Form>
    </Dialog>
  );
}

function Edit({ member, onDone, onClose }: DialogProps & { member: Member }) {
  const options = roles.filter((role) => offered().includes(role) || role[0] === member.role);
  const save = async ({ name, role }: Values) => {
    await patch(member.id, { name: name ?? null, ...(role !== member.role && { role: role as Role }) });
    onDone();
    onClose();
  };
  return (
    <Dialog title={`Edit ${nameOf(member)}`} onClose={onClose}>
      <Form submit="Save" onSubmit={save} onCancel={onClose}>
        <Field label="Name" name="name" value={member.name} maxLength={200} />
        <Field label="Role" name="role" value={member.role} options={options} />
      </Form>
    </Dialog>
  );
}
