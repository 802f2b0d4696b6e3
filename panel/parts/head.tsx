import type { ComponentChildren } from 'preact';

interface HeadProps {
  title: string;
  /** What stands above the title: where somebody came from. */
  above?: ComponentChildren;
  /** Actions of the page. */
  children?: ComponentChildren;
}

/** The page's name, which has the focus after a navigation, and what can be done here. */
export const Head = ({ title, above, children }: HeadProps) => (
  <div class="head">
    <div>
      {above}
      <h1 tabIndex={-1}>{title}</h1>
    </div>
    {children && <div class="actions">{children}</div>}
  </div>
);
