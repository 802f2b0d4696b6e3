import type { ComponentChildren } from 'preact';

/** In place of a list in which there is nothing: says what to do. */
export const Empty = ({ title, children }: { title: string; children?: ComponentChildren }) => (
  <div class="empty">
    <p class="title">{title}</p>
    {children}
  </div>
);
