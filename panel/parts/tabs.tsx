import { linkTo } from '../app/route.ts';

interface TabsProps {
  label: string;
  tabs: readonly { path: string; title: string }[];
  /** Which is open. */
  open: string | undefined;
}

/** Links to the sides of one page. */
export const Tabs = ({ label, tabs, open }: TabsProps) => (
  <nav class="tabs" aria-label={label}>
    {tabs.map(({ path, title }) => (
      <a key={path} href={linkTo(path)} aria-current={path === open ? 'page' : undefined}>
        {title}
      </a>
    ))}
  </nav>
);
