import { Badge, type Tone } from '../parts/badge.tsx';

const tones: Record<string, Tone> = { GET: 'good', POST: 'accent', DELETE: 'bad' };

export const Method = ({ name }: { name: string }) => (
  <span class="method">
    <Badge tone={tones[name] ?? 'warn'}>{name}</Badge>
  </span>
);
