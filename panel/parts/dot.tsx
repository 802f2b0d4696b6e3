/** A color beside what it belongs to; says nothing itself. */
export const Dot = ({ color }: { color: string }) => (
  <svg class="dot" viewBox="0 0 8 8" aria-hidden="true">
    <circle cx="4" cy="4" r="4" fill={color} />
  </svg>
);
