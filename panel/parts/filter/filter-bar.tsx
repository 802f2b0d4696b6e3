import { files } from '../../app/load.ts';
import { later } from '../later.tsx';
import type { FilterBarProps, FilterBar as Loaded } from './bar.tsx';

const load = () => files.work?.('filters') as Promise<{ FilterBar: typeof Loaded }>;
const Bar = later(async () => (await load()).FilterBar);

/** The filters and views above a table, whose code and texts load after the page. */
export const FilterBar = (props: FilterBarProps) => (
  <div class="filter-place">
    <Bar {...props} />
  </div>
);
