import type { Schema } from '../../../client/index.ts';
import { nameOf } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { Menu } from '../menu.tsx';

interface AssignMenuProps {
  text: string;
  members: readonly Schema<'Member'>[];
  onAssign(id: number | null): void;
}

/** Gives what is selected to a member, or to nobody. */
export const AssignMenu = ({ text, members, onAssign }: AssignMenuProps) => (
  <Menu
    text={text}
    items={[
      { text: t.common.nobody, choose: () => onAssign(null) },
      ...members
        .filter(({ isActive }) => isActive)
        .map((member) => ({ text: nameOf(member), choose: () => onAssign(member.id) })),
    ]}
  />
);
