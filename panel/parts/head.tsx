import type { ComponentChildren } from 'preact';
import { useTitle } from '../app/title.ts';
import { userText } from './user-text.tsx';

interface HeadProps {
  title: string;
  /** What stands above the title: where somebody came from. */
  above?: ComponentChildren;
  /** Actions of the page. */
  children?: ComponentChildren;
}

/** The page's name, which has the focus after a navigation, and what can be done here. */
export function Head({ title, above, children }: HeadProps) {
  useTitle(title);
  return (
    <div class="head">
      <div>
        {above}
        <h1 tabIndex={-1} {...userText}>
          {title}
        </h1>
      </div>
      {children && <div class="actions">{children}</div>}
    </div>
  );
}
