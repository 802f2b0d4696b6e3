import { linkTo, place } from '../../app/route.ts';
import { t } from '../../app/texts.ts';
import { Empty } from '../../parts/empty.tsx';

/** Parts of the address that choose no deals but how they are shown. */
const shownBy = ['board', 'layout', 'sort'];

/** Said where there are no deals, or none that fit. */
export function NoDeals() {
  const isFiltered = [...place.value.query.keys()].some((name) => !shownBy.includes(name));
  const { board, layout } = Object.fromEntries(place.value.query);
  return (
    <Empty title={isFiltered ? t.deals.noDealFits : t.deals.noDealsYet}>
      {isFiltered ? (
        <a href={linkTo('/deals', { board, layout })}>{t.deals.showAllDeals}</a>
      ) : (
        <p>{t.deals.aDealIsSomethingThat}</p>
      )}
    </Empty>
  );
}
