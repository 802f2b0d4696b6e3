import type { Document, Parameter } from '../document/document.ts';
import { SchemaField } from './schema.tsx';

/** What a call or a delivery takes beside its body. */
export const Parameters = ({ document, of }: { document: Document; of: readonly Parameter[] }) => (
  <ul class="fields">
    {of.map(({ name, required, description, example, schema = {} }) => (
      <SchemaField
        key={name}
        document={document}
        name={name}
        schema={schema}
        isRequired={required}
        description={description}
        example={example}
      />
    ))}
  </ul>
);
