import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { touching } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { place } from '../../app/route.ts';
import { current } from '../../app/session.ts';
import { nameOf, worded } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
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

const roles = (): readonly (readonly [Role, string])[] => [
  ['member', t.settings.memberEverythingButKeysAccounts],
  ['admin', t.settings.adminEverything],
  ['owner', t.settings.ownerEverythingAndMakesOwners],
];

const offered = () => roles().filter(([role]) => role !== 'owner' || isOwner());
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
      said: t.settings.canSignInAgain(nameOf(member)),
      takeBack: () => show(member.id, { isActive: false }),
    });
    if (done) members.reload();
  };
  const columns: readonly Column<Member>[] = [
    {
      title: t.common.name,
      show: (member) => (
        <>
          {nameOf(member)} {member.id === current.value?.member.id && <span class="muted">{t.settings.you}</span>}
          <p class="hint">
            <Address of={member.email} />
          </p>
        </>
      ),
    },
    {
      title: t.settings.role,
      show: ({ role }) => <Badge tone={role === 'member' ? 'plain' : 'accent'}>{worded(role)}</Badge>,
    },
    {
      title: t.common.state,
      isWide: true,
      show: ({ isActive: is }) => (
        <Badge tone={is ? 'good' : 'plain'}>{is ? t.settings.active : t.settings.deactivated}</Badge>
      ),
    },
    { title: t.common.since, isWide: true, show: ({ createdAt }) => <When at={createdAt} /> },
    ...(isAdmin()
      ? [
          {
            title: t.common.actions,
            isHidden: true,
            show: (member: Member) => (
              <Menu
                text="⋯"
                label={t.settings.actionsFor(nameOf(member))}
                items={[
                  { text: t.common.edit, choose: () => setOpen({ of: 'edit', member }) },
                  member.isActive
                    ? {
                        text: t.settings.deactivate,
                        isDangerous: true,
                        choose: () => setOpen({ of: 'deactivate', member }),
                      }
                    : { text: t.settings.activate, choose: () => void activate(member) },
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
          <SearchField label={t.common.search} />
          <Choice
            label={t.common.state}
            name="isActive"
            all={t.settings.everybody}
            options={[
              ['true', t.settings.active],
              ['false', t.settings.deactivated],
            ]}
          />
        </Filters>
        {isAdmin() && (
          <button type="button" class="primary" data-new onClick={() => setOpen('invite')}>
            {t.common.inviteAMember}
          </button>
        )}
      </div>
      <Paged
        caption={t.settings.members}
        of={members}
        columns={columns}
        keyOf={({ id }) => id}
        skeletonRows={3}
        empty={
          <Empty title={t.settings.nobodyLikeThat}>
            <p>{t.settings.changeTheSearchAndThe}</p>
          </Empty>
        }
      />
      {open === 'invite' && <Invite onDone={members.reload} onClose={close} />}
      {typeof open === 'object' && open.of === 'edit' && (
        <Edit member={open.member} onDone={members.reload} onClose={close} />
      )}
      {typeof open === 'object' && open.of === 'deactivate' && (
        <Confirm
          title={t.settings.deactivateMember(nameOf(open.member))}
          action={t.settings.deactivate}
          isDangerous
          onClose={close}
          onConfirm={async () => {
            await patch(open.member.id, { isActive: false });
            members.reload();
          }}
        >
          <p>{t.settings.theirSessionsEndAtOnce}</p>
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
    await attempt(async () => {}, { said: t.settings.anInvitationIsOnIts(email) });
  };
  return (
    <Dialog title={t.common.inviteAMember} onClose={onClose}>
      <Form submit={t.settings.sendTheInvitation} onSubmit={invite} onCancel={onClose}>
        <p class="hint">{t.settings.theyGetAMailWith}</p>
        <Field label={t.common.eMail} name="email" type="email" required autocomplete="off" />
        <Field label={t.common.name} name="name" maxLength={200} autocomplete="off" />
        <Field label={t.settings.role} name="role" options={offered()} />
      </Form>
    </Dialog>
  );
}

function Edit({ member, onDone, onClose }: DialogProps & { member: Member }) {
  const options = roles().filter((role) => offered().includes(role) || role[0] === member.role);
  const save = async ({ name, role }: Values) => {
    await patch(member.id, { name: name ?? null, ...(role !== member.role && { role: role as Role }) });
    onDone();
    onClose();
  };
  return (
    <Dialog title={t.settings.edit(nameOf(member))} onClose={onClose}>
      <Form submit={t.common.save} onSubmit={save} onCancel={onClose}>
        <Field label={t.common.name} name="name" value={member.name} maxLength={200} />
        <Field label={t.settings.role} name="role" value={member.role} options={options} />
      </Form>
    </Dialog>
  );
}
