/** Holds the place of texts that are still on their way. */
export const Skeleton = ({ lines = 3 }: { lines?: number }) => (
  <div class="lines" aria-hidden="true">
    {Array.from({ length: lines }, (_, line) => (
      <span key={line} class="skeleton">
        &nbsp;
      </span>
    ))}
  </div>
);
