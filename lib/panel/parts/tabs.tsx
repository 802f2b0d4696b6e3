import { linkTo, place } from '../app/route.ts';

interface TabsProps {
  label: string;
  tabs: readonly (readonly [path: string, title: string])[];
}

/** Links to the sides of one page. */
export function Tabs({ label, tabs }: TabsProps) {
  // The longest path that fits: `/finance` is of `/finance/other` as well.
  const [open] = tabs
    .map(([path]) => path)
    .filter((path) => `${place.value.path}/`.startsWith(`${path}/`))
    .sort((one, other) => other.length - one.length);
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(([path, title]) => (
        <a key={path} href={linkTo(path)} aria-current={path === open ? 'page' : undefined}>
          {title}
        </a>
      ))}
    </nav>
  );
}
