import { Icon } from './icon.tsx';

/** The link above a page's name, to where it belongs. */
export const Back = ({ to, children }: { to: string; children: string }) => (
  <a class="back" href={to}>
    <Icon name="back" />
    {children}
  </a>
);
