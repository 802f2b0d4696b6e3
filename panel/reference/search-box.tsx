import { choose, SearchField } from '../parts/filters.tsx';

/** Searches the reference; Enter opens what is found first. */
export const SearchBox = () => (
  <search class="search" onKeyDown={openFirst}>
    <SearchField label="Search the reference" placeholder="Search (/)" />
  </search>
);

function openFirst({ key, target, isComposing }: KeyboardEvent): void {
  if (key !== 'Enter' || isComposing || !(target instanceof HTMLInputElement)) return;
  // What is shown may be of what was typed before.
  choose('q', target.value.trim());
  requestAnimationFrame(() => document.querySelector<HTMLElement>('[data-results] a')?.click());
}
