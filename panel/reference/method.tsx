import type { allOperations } from '../document/document.ts';
import { Badge, type Tone } from '../parts/badge.tsx';
import { linkInto } from './links.ts';

const tones: Record<string, Tone> = { GET: 'good', POST: 'accent', DELETE: 'bad' };

export const Method = ({ name }: { name: string }) => (
  <span class="method">
    <Badge tone={tones[name] ?? 'warn'}>{name}</Badge>
  </span>
);

/** The operations of a list, each with its path and its summary. */
export const OperationList = ({ operations }: { operations: ReturnType<typeof allOperations> }) => (
  <ul class="entries">
    {operations.map(({ method, path, operation: { operationId, summary } }) => (
      <li key={operationId}>
        <a href={linkInto(`/operations/${operationId}`)}>
          <Method name={method} />
          <code>{path}</code>
          <span class="muted">{summary}</span>
        </a>
      </li>
    ))}
  </ul>
);
