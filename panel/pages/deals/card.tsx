import { memberName, type Names } from '../../app/names.ts';
import { linkTo } from '../../app/route.ts';
import { may } from '../../app/session.ts';
import { counted, money, percent } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { Day } from '../../parts/day.tsx';
import { filled } from '../../parts/filled.tsx';
import { Menu } from '../../parts/menu.tsx';
import { UserText, userText } from '../../parts/user-text.tsx';
import { type Columns, type Deal, type Place, placeOf } from './board.ts';
import { isOverdue } from './overdue.ts';

interface CardProps {
  deal: Deal;
  columns: Columns;
  members: Names;
  onMove(to: Place): void;
  onDrag(isDragged: boolean): void;
}

const cardsOf = (stage: Element | null | undefined) => [...(stage?.querySelectorAll<HTMLElement>('.deal a') ?? [])];

function goTo(card: HTMLElement, key: string): boolean {
  const stage = card.closest('.stage');
  const here = cardsOf(stage);
  const at = here.indexOf(card.querySelector('a') as HTMLElement);
  const beside = () => {
    let next = stage;
    do next = (key === 'ArrowRight' ? next?.nextElementSibling : next?.previousElementSibling) ?? null;
    while (next && cardsOf(next).length === 0);
    return cardsOf(next)[0];
  };
  const found = key === 'ArrowDown' ? here[at + 1] : key === 'ArrowUp' ? here[at - 1] : beside();
  found?.focus();
  return found !== undefined;
}

/** A deal on the board. It is moved by dragging it, by its menu, or by Shift and an arrow key. */
export function Card({ deal, columns, members, onMove, onDrag }: CardProps) {
  const here = placeOf(deal).id;
  const isMovable = may('deals:write');
  const ownerId = deal.owner?.assignedToUserId;
  const isLate = isOverdue(deal);
  const press = (event: KeyboardEvent) => {
    if (!event.key.startsWith('Arrow') || event.ctrlKey || event.altKey || event.metaKey) return;
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.shiftKey) {
      const to = step && columns[columns.findIndex(({ id }) => id === here) + step];
      if (!to || !isMovable) return;
      event.preventDefault();
      onMove(to);
    } else if (goTo(event.currentTarget as HTMLElement, event.key)) event.preventDefault();
  };
  return (
    <li
      class="deal"
      data-deal={deal.id}
      draggable={isMovable}
      onDragStart={({ dataTransfer }) => {
        dataTransfer?.setData('text/plain', deal.title);
        onDrag(true);
      }}
      onDragEnd={() => onDrag(false)}
      onKeyDown={press}
    >
      <div class="top-line">
        <a href={linkTo(`/deals/${deal.id}`)} draggable={false} {...userText}>
          {deal.title}
        </a>
        {isMovable && (
          <Menu
            text="⋯"
            label={t.deals.moveToTitle(deal.title)}
            items={columns
              .filter(({ id }) => id !== here)
              .map((column) => ({ text: column.name, choose: () => onMove(column) }))}
          />
        )}
      </div>
      <p class="amount">
        {money(deal.value, deal.currency)}
        <span class="muted"> · {percent(deal.probability / 100)}</span>
      </p>
      <p class="hint deal-facts">
        {deal.contactName && <UserText text={deal.contactName} isName />}
        {ownerId != null && <span>{memberName(members, ownerId)}</span>}
        {deal.expectedCloseAt && deal.closedAt === null && (
          <span class={isLate ? 'bad' : undefined}>
            {filled(isLate ? t.deals.shouldHaveClosed : t.deals.closes, { when: <Day at={deal.expectedCloseAt} /> })}
          </span>
        )}
        {deal.openTaskCount > 0 && <span>{counted(deal.openTaskCount, t.units.openTask)}</span>}
      </p>
    </li>
  );
}
